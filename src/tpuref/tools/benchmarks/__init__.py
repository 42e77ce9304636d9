"""The benchmarks of ``tpuref bench``: tpuref compared with other libraries.

Every table is measured in rounds.  In each round all contestants take a turn, so a
disturbance of the machine affects all of them equally.
"""
