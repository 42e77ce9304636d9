"""Which checkpoints are kept: the newest ones, and one now and then for good."""

from __future__ import annotations

import time
from collections.abc import Sequence

from tpuref.checkpoints.stored import remove_checkpoint
from tpuref.files.filesystem import files_at


class KeptCheckpoints:
    """The checkpoints of a saver, the oldest first.

    Parameters
    ----------
    limit
        How many to keep; 0 or None for all.
    hours
        How often one is kept for good; None for never.

    Attributes
    ----------
    times
        When each was made, in seconds since 1970, by its prefix.
    """

    def __init__(self, limit: int | None, hours: float | None) -> None:
        self._limit = limit or 0
        self._interval = float("inf") if hours is None else hours * 3600
        self._next_for_good = time.time() + self._interval
        self.times: dict[str, float] = {}

    @property
    def paths(self) -> list[str]:
        """The prefixes."""
        return list(self.times)

    def add(self, path: str) -> None:
        """Add a checkpoint as the newest."""
        self.times.pop(path, None)
        self.times[path] = time.time()

    def recover(self, paths: Sequence[str]) -> None:
        """Take over those of an earlier process that are still there."""
        self.times = {}
        for path in paths:
            files, prefix = files_at(path, "tf.train.Saver.recover_last_checkpoints")
            if files.exists(f"{prefix}.index"):
                self.times[path] = files.size_and_time(f"{prefix}.index")[1]

    def remove_oldest(self) -> None:
        """Remove what is too much, but for what is kept for good."""
        while 0 < self._limit < len(self.times):
            path, seconds = next(iter(self.times.items()))
            del self.times[path]
            if seconds > self._next_for_good:
                self._next_for_good += self._interval
            else:
                remove_checkpoint(path)
