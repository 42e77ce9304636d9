"""The kernels compiled: the same names, arguments and bits, without the lock."""
