"""Which release of TensorFlow the program means, where releases differ."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Behavior:
    """The release of the whole process; `tpuref.engine.graph.default` alone writes it.

    Attributes
    ----------
    release
        The release whose names ``tf`` has: 1 or 2.
    implicit
        Whether a name that only TensorFlow 2 has switched to 2, not the program.
    noted
        Whether the log says so.
    tensor_equality
        Whether ``==`` compares the elements of tensors, not their identity.
    integer_shapes
        Whether the items of a `TensorShape` are integers, not Dimensions.
    """

    release: int = 1
    implicit: bool = False
    noted: bool = False
    tensor_equality: bool = False
    integer_shapes: bool = False

    def follow(self, release: int, *, implicit: bool = False) -> None:
        """Behave as a release in everything."""
        self.release, self.implicit, self.noted = release, implicit, False
        self.tensor_equality = self.integer_shapes = release == 2


behavior = Behavior()
