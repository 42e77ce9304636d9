"""Has none of the names."""

__version__ = "1.2"
