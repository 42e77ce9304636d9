"""The version of tpuref."""

__version__ = "0.2.0"
