"""Bases by which libraries recognise the classes of TensorFlow without importing it."""

from __future__ import annotations


def known_as(name: str, module: str) -> type:
    """Return an empty base with a name and module of TensorFlow.

    Keras tells tensors and datasets by the names and modules of their classes' bases.
    """
    home = f"tensorflow.python.{module}"
    return type(name, (), {"__module__": home, "__slots__": (), "__doc__": home})
