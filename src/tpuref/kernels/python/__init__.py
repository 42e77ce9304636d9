"""The kernels in NumPy: the reference, and the fallback if nothing was compiled."""
