"""Brings the elements of a dataset to the replicas while their loop runs."""

from collections import deque
from collections.abc import Callable, Sequence

from tpuref.base import error_codes as codes
from tpuref.base.errors import OutOfRangeError
from tpuref.engine.ops.meaning import Array

Element = tuple[Array, ...]


class Feed:
    """Gives each replica its element of each step of one run.

    The first replica that asks for a step makes the feed take the elements of all
    replicas for it, so none is taken that is not used.  `take` returns the next arrays:
    an element for one replica, or as many as there are.  An element has `width` arrays;
    messages name the number of `steps` of the run.
    """

    def __init__(
        self, take: Callable[[], Sequence[Array]], replicas: int, width: int, steps: int
    ) -> None:
        self._take = take
        self._width = width
        self._steps = steps
        self._waiting: list[deque[Element]] = [deque() for _ in range(replicas)]
        self._asked = [0] * replicas
        self._given = 0

    def next(self, replica: int, count: int = 1) -> list[Array]:
        """Return the elements of a replica for its next steps, one or up to `count`.

        It raises OutOfRangeError if there is none.
        """
        queue = self._waiting[replica]
        self._fill_up(queue, min(count, self._steps - self._asked[replica]))
        taken = [queue.popleft() for _ in range(min(count, len(queue)))]
        self._asked[replica] += len(taken)
        return [array for element in taken for array in element]

    def _fill_up(self, queue: deque[Element], count: int) -> None:
        """Take the elements of the next `count` steps, or all that are left."""
        try:
            while len(queue) < max(1, count):
                self._fill()
        except OutOfRangeError:
            if not queue:
                raise

    def _fill(self) -> None:
        """Take the elements of one step."""
        arrays: list[Array] = []
        try:
            while len(arrays) < self._width * len(self._waiting):
                arrays += self._take()
        except OutOfRangeError as error:
            raise OutOfRangeError(self._end_message(error)) from None
        for k, queue in enumerate(self._waiting):
            queue.append(tuple(arrays[k * self._width : (k + 1) * self._width]))
        self._given += 1

    def _end_message(self, error: OutOfRangeError) -> str:
        return (
            f"{self._steps} steps were to be run, and the dataset has input for "
            f"{self._given} of them ({error.message}). Variables keep the values from "
            "before the run; ask for fewer steps, or repeat the dataset"
            f" [{codes.END_OF_SEQUENCE}]"
        )
