"""Parts of a computation, shared among the threads of a process."""

import functools
import os
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import NamedTuple

from tpuref.base.processors import blas_threads

LEAST_WORK = 1 << 22
"""The products or comparisons below which threads cost more than they save."""

Compute = Callable[[int, int], None]


class _Part(NamedTuple):
    """The range of a computation that one thread computes, and where it says so."""

    compute: Compute
    first: int
    last: int
    ended: "SimpleQueue[BaseException | None]"


def in_parts(compute: Compute, count: int, work: int) -> None:
    """Call ``compute(first, last)`` for parts of ``[0, count)``, one on each thread.

    `compute` releases Python's lock, and does not call this function.
    """
    number = min(blas_threads(), count, 2 * work // LEAST_WORK)
    if number < 2:
        compute(0, count)
        return
    parts, ended = _threads(), SimpleQueue[BaseException | None]()
    for k in range(1, number):
        first, last = k * count // number, (k + 1) * count // number
        parts.put(_Part(compute, first, last, ended))
    try:
        compute(0, count // number)
    finally:  # the others write to the arrays of the caller
        errors = [ended.get() for _ in range(1, number)]
    for error in filter(None, errors):
        raise error


@functools.cache
def _threads() -> "SimpleQueue[_Part]":
    """Return the queue of threads that wait for parts: a start takes 0.2 ms."""
    parts = SimpleQueue[_Part]()
    for _ in range(1, blas_threads()):
        threading.Thread(
            target=_compute_parts, args=(parts,), name="tpuref part", daemon=True
        ).start()
    return parts


if hasattr(os, "register_at_fork"):  # a forked process does not inherit the threads
    os.register_at_fork(after_in_child=_threads.cache_clear)


def _compute_parts(parts: "SimpleQueue[_Part]") -> None:
    while True:
        compute, first, last, ended = parts.get()
        try:
            compute(first, last)
        except BaseException as error:
            ended.put(error)
        else:
            ended.put(None)
        del compute, ended  # and the arrays that they hold
