"""The output of a process, which the host shows on its standard error.

The process writes to a memory file, and the host reads it now and then.  With a pipe, a
full one would stop the process; here it never waits for a reader, its last words
survive it, and no file is left behind.
"""

import contextlib
import mmap
import os
import sys
import threading
import time

LINES_PER_SECOND = 200
"""The lines of one process to show per second; the others are counted."""

LINE_BYTES = 2000
"""The bytes of a line to show."""

KEPT_BYTES = 1 << 16
"""The bytes of shown output that stay readable."""

_CHUNK = 1 << 20  # read, and freed, at a time


class CoreOutput:
    """The output of the process with the cores `name`, in a memory file."""

    def __init__(self, name: str, descriptor: int) -> None:
        self._prefix = f"[{name}] "
        self._file = descriptor
        self._shown = 0
        self._freed = 0
        self._unfinished = b""
        self._second = 0.0
        self._in_second = 0
        self._closed = False
        self._lock = threading.Lock()

    @property
    def size(self) -> int:
        """The bytes written so far."""
        return os.fstat(self._file).st_size

    def tail(self, start: int = 0) -> str:
        """Return the end of the output, at most from `start` on."""
        size = self.size
        start = max(start, size - KEPT_BYTES)
        content = os.pread(self._file, size - start, start)
        return content.decode(errors="replace").strip()

    def skip(self) -> None:
        """Do not show the output so far."""
        self._shown = self.size

    def close(self) -> None:
        """Show nothing from now on, as the file is about to be closed."""
        self._closed = True

    def show(self, last: bool = False) -> None:
        """Write new output to the host's standard error, line by line.

        `last` shows an unfinished line too.
        """
        if self._closed or not self._lock.acquire(blocking=False):
            return  # or another thread is at it
        try:
            _write(self._new_lines(last))
        finally:
            self._lock.release()

    def _new_lines(self, last: bool) -> str:
        size = self.size
        lines: list[str] = []
        left_out = 0
        while self._shown < size:
            for line in self._read(size):
                if self._may_show():
                    lines.append(self._decode(line))
                else:
                    left_out += 1
        if last and self._unfinished:
            lines.append(self._decode(self._unfinished))
            self._unfinished = b""
        if left_out:
            lines.append(f"{self._prefix}({left_out} lines more were left out)\n")
        return "".join(lines)

    def _read(self, size: int) -> list[bytes]:
        """Return the next whole lines."""
        content = os.pread(self._file, min(_CHUNK, size - self._shown), self._shown)
        self._shown += len(content)
        self._free()
        *lines, rest = (self._unfinished + content).split(b"\n")
        self._unfinished = rest[:KEPT_BYTES]
        return lines

    def _may_show(self) -> bool:
        now = time.monotonic()
        if now - self._second >= 1.0:
            self._second, self._in_second = now, 0
        self._in_second += 1
        return self._in_second <= LINES_PER_SECOND

    def _decode(self, line: bytes) -> str:
        text = line[:LINE_BYTES].decode(errors="replace").rstrip("\r")
        more = len(line) - LINE_BYTES
        note = f"... ({more} bytes more)" if more > 0 else ""
        return f"{self._prefix}{text}{note}\n"

    def _free(self) -> None:
        """Free the memory of output that is not read again."""
        end = (self._shown - KEPT_BYTES) // _CHUNK * _CHUNK
        if end <= self._freed or not hasattr(mmap, "MADV_REMOVE"):
            return
        length = end - self._freed
        with (
            contextlib.suppress(OSError),  # the file system cannot do it
            mmap.mmap(self._file, length, offset=self._freed) as pages,
        ):
            pages.madvise(mmap.MADV_REMOVE)
        self._freed = end


def _write(text: str) -> None:
    """Write to the current standard error of the host."""
    if not text or sys.stderr is None:
        return
    with contextlib.suppress(OSError, ValueError):  # closed, or nobody reads it
        sys.stderr.write(text)
        sys.stderr.flush()
