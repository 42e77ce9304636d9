"""The memory that this process keeps for its next arrays."""

import contextlib
import ctypes
import functools

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # M_* of <malloc.h>

_KEPT_BYTES = 64 << 20
"""The memory of freed arrays that a process keeps for the next ones."""

_KEPT_ARRAY_BYTES = 32 << 20
"""The largest array whose memory it keeps; the C library allows no more."""


@functools.cache
def keep_freed_memory() -> None:
    """Let the C library keep the memory of freed arrays (mallopt).

    Otherwise it returns large blocks to the system at once, and every step faults in
    each page of its arrays again.
    """
    with contextlib.suppress(OSError, AttributeError):  # not every C library can
        library = ctypes.CDLL(None)
        library.mallopt(_MMAP_THRESHOLD, _KEPT_ARRAY_BYTES)
        library.mallopt(_TRIM_THRESHOLD, _KEPT_BYTES)
