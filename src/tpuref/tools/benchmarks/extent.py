"""The extent of a benchmark."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Extent:
    """The extent of a benchmark."""

    quick: bool = False  # whether to measure only a few small cases in few rounds
    peers: bool = True  # whether to measure other libraries too
    # the interpreters of environments with TensorFlow, to measure their programs
    tensorflow: tuple[str, ...] = ()
    # called with each line as soon as it is measured
    report: Callable[[str], None] = lambda line: None

    @property
    def rounds(self) -> int:
        """The number of turns of each contestant."""
        return 3 if self.quick else 5
