"""The documented statements of TensorFlow's TPU interface, as checks that run."""

from .clause import Clause, registered
from .command import main

__all__ = ["Clause", "main", "registered"]
