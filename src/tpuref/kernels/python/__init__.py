"""The kernels in NumPy: what they mean, and what runs where nothing was compiled."""
