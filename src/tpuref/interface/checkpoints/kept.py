"""Choose which checkpoints to keep: the newest ones, and some permanently."""

import logging
import time
from collections.abc import Sequence

from tpuref.base.arguments import integer, number
from tpuref.base.errors import UnimplementedError
from tpuref.interface.checkpoints.stored import remove_save
from tpuref.interface.files.filesystem import failures, files_at

_log = logging.getLogger("tpuref.interface.checkpoints")


class KeptCheckpoints:
    """The checkpoints of a saver, oldest first.

    At most `limit` are kept, besides one every `hours` permanently; 0 and None mean no
    limit and no such checkpoint.  `times` maps prefixes to seconds since 1970.
    """

    def __init__(self, function: str, limit: int | None, hours: float | None) -> None:
        self._limit = 0
        if limit is not None:
            self._limit = integer(f"{function}: max_to_keep", limit)
        self._interval = float("inf")
        if hours is not None:
            argument = f"{function}: keep_checkpoint_every_n_hours"
            self._interval = number(argument, hours) * 3600
        self._next_for_good = time.time() + self._interval
        self.times: dict[str, float] = {}
        self._saves: dict[str, str] = {}  # ids of this process's saves, by path
        self._surplus: list[str] = []

    @property
    def paths(self) -> list[str]:
        """The prefixes."""
        return list(self.times)

    def add(self, path: str, save: str) -> None:
        """Add the newest checkpoint, with its id from `write_checkpoint`.

        The oldest ones beyond the limit become surplus.
        """
        self._saves[path] = save
        self.times.pop(path, None)
        self.times[path] = time.time()
        while 0 < self._limit < len(self.times):
            oldest, seconds = next(iter(self.times.items()))
            del self.times[oldest]
            if seconds > self._next_for_good:
                self._next_for_good += self._interval
            else:
                self._surplus.append(oldest)

    def remove_surplus(self) -> None:
        """Remove surplus checkpoints; the state file must not mention them anymore.

        Only checkpoints of this process, and those in the folder of the newest one, are
        removed.  Other paths come from a state file that may be untrusted, or copied
        from another folder.
        """
        newest = next(reversed(self.times), "")
        while self._surplus:
            path = self._surplus.pop()
            save = self._saves.pop(path, None)
            if save is None and path.rpartition("/")[0] != newest.rpartition("/")[0]:
                continue
            try:
                remove_save(path, save)
            except UnimplementedError as error:
                _log.warning("the checkpoint %s stays: %s", path, error)

    def recover(self, paths: Sequence[str]) -> None:
        """Replace the list by those checkpoints of an earlier process that exist."""
        self.times = {}
        function = "tf.train.Saver.recover_last_checkpoints"
        for path in paths:
            files, prefix = files_at(path, function, "checkpoint_paths")
            with failures(function, prefix):
                if files.exists(f"{prefix}.index"):
                    self.times[path] = files.size_and_time(f"{prefix}.index")[1]
