"""The TPU compiler as a judge: whether programs compile for a TPU, and fit.

The compiler runs in a child process (`child`), on the lowering of the executor on XLA.
"""
