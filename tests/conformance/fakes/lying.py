"""Says that it is another release."""

__version__ = "9.9.9"
