"""How much a benchmark measures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Extent:
    """What a benchmark takes into account.

    Attributes
    ----------
    quick
        Whether to measure a few small points only, in few rounds.
    peers
        Whether to measure other libraries as well.
    report
        Is told each line as soon as it has been measured.
    """

    quick: bool = False
    peers: bool = True
    report: Callable[[str], None] = lambda line: None

    @property
    def rounds(self) -> int:
        """How many turns each contestant takes."""
        return 3 if self.quick else 5
