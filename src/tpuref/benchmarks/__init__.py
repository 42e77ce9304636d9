"""What ``tpuref bench`` measures, side by side with what a user would pick instead.

Every table is measured in rounds, in each of which all contestants take their turn, so
that what disturbs the machine disturbs all of them alike.
"""
