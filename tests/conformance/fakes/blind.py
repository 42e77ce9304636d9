"""Right, without the means to look."""

from right import double, half  # noqa: F401 - names of the subject

__version__ = "1.2"
