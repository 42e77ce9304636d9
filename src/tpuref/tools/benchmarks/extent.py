"""The extent of a benchmark."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Extent:
    """The extent of a benchmark.

    Attributes
    ----------
    quick
        Whether to measure only a few small cases in few rounds.
    peers
        Whether to measure other libraries too.
    report
        Called with each line as soon as it is measured.
    """

    quick: bool = False
    peers: bool = True
    report: Callable[[str], None] = lambda line: None

    @property
    def rounds(self) -> int:
        """The number of turns of each contestant."""
        return 3 if self.quick else 5
