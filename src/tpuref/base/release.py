"""Which release of TensorFlow the program means, where releases differ."""

from dataclasses import dataclass


@dataclass
class Behavior:
    """The release of the process; `engine.graph.default` and `tf.keras` write it."""

    # The release whose names ``tf`` has: 1 or 2
    release: int = 1
    # Whether a name that only TensorFlow 2 has switched to 2, not the program
    implicit: bool = False
    noted: bool = False
    # Whether ``==`` compares the elements of tensors, not their identity
    tensor_equality: bool = False
    # Whether the items of a `TensorShape` are integers, not Dimensions
    integer_shapes: bool = False

    def follow(self, release: int, *, implicit: bool = False) -> None:
        """Behave as a release in everything."""
        self.release, self.implicit, self.noted = release, implicit, False
        self.tensor_equality = self.integer_shapes = release == 2


behavior = Behavior()
