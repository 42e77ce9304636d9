"""Define the hook that writes checkpoints during training."""

import threading
import time
from typing import Any

from tpuref.engine.runtime.hosts import here
from tpuref.interface.training.hooks.checkpoint_saver import CheckpointSaverHook
from tpuref.interface.training.log import log


class AsyncCheckpointSaverHook(CheckpointSaverHook):
    """Saves checkpoints like `CheckpointSaverHook`, but writes them in a thread.

    Training waits until the values are read, not until they are written.  A checkpoint
    that is due while another one is being written is skipped.  The first and the last
    checkpoint are written synchronously.
    """

    _thread: threading.Thread | None = None
    _error: BaseException | None = None
    _last_checkpoint_step: int | None = None

    def end(self, session: Any) -> None:
        """Wait for a pending checkpoint, and save the last step."""
        if self._thread is not None:
            log.info("Waiting for any pending checkpoints to finish.")
            self._thread.join()
            self._raise_error()
        last = self._step(session)
        if last != self._last_checkpoint_step:
            super()._save(session, last)
        for listener in self._listeners:
            listener.end(session, last)

    def _save(self, session: Any, step: int) -> bool:
        self._raise_error()
        if self._last_checkpoint_step is None or not here.is_chief():
            self._last_checkpoint_step = step
            return super()._save(session, step)
        if self._thread is not None and self._thread.is_alive():
            log.info("Saver thread still in progress, skipping checkpoint.")
            return False
        self._last_checkpoint_step = step
        log.info("Saving checkpoints for %d into %s.", step, self._save_path)
        for listener in self._listeners:
            listener.before_save(session, step)
        write = self._get_saver().begin_save(session, self._save_path, step)
        self._thread = threading.Thread(
            target=self._write, args=(write, session, step), name="save-checkpoint"
        )
        self._thread.start()
        return False

    def _write(self, write: Any, session: Any, step: int) -> None:
        begin = time.monotonic()
        try:
            write()
            self._notify_saved(session, step)
        except BaseException as error:  # _raise_error raises it in the training thread
            self._error = error
        log.info("Checkpoint actual writing time: (%.3f sec)", time.monotonic() - begin)
        log.info("Checkpoint finished for %d into %s.", step, self._save_path)

    def _raise_error(self) -> None:
        error, self._error = self._error, None
        if error is not None:
            raise error
