"""The measurements of ``tpuref bench``, of tpuref and the alternatives a user has.

Every table is measured in rounds.  In each round all contestants take their turn, so
that a disturbance affects all of them alike.
"""
