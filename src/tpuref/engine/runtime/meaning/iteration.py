"""One pass through a dataset, which lasts from run to run."""

import threading
from collections.abc import Generator, Sequence

from tpuref.base import error_codes as codes
from tpuref.base.errors import AbortedError, OpError, OutOfRangeError
from tpuref.engine.ops.meaning import Array

CLOSING_SECONDS = 5.0
"""How long to wait for an element that another thread asked for."""


class Iteration:
    """One pass over `items`, the arrays of each element, one element a call."""

    def __init__(self, items: Generator[Sequence[Array], None, None]) -> None:
        self._items = items
        self._given = 0
        self._error: OpError | None = None
        self._lock = threading.Lock()

    def next(self) -> Sequence[Array]:
        """Return the next element; it raises OutOfRangeError if there is none.

        An error of an element ends the pass, and is raised again by later calls.
        """
        with self._lock:
            if self._error is not None:
                raise self._error
            try:
                item = next(self._items)
            except StopIteration:
                raise OutOfRangeError(
                    f"end of sequence: the dataset gave all of its {self._given} "
                    "elements",
                    code=codes.END_OF_SEQUENCE,
                ) from None
            except BaseException as error:
                self._error = _without_traceback(error)
                raise
            self._given += 1
            return item

    def close(self) -> None:
        """End the pass, and the threads that work for it."""
        if self._lock.acquire(timeout=CLOSING_SECONDS):
            self._items.close()
            self._lock.release()


def _without_traceback(error: BaseException) -> OpError:
    """Return the error to raise again; its traceback would keep the pass alive."""
    if isinstance(error, OpError):
        return type(error)(error.message, op=error.op, site=error.site)
    return AbortedError(f"the pass was ended by {type(error).__name__}: {error}")
