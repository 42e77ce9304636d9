"""The version of tpuref."""

__version__ = "0.1.0"
