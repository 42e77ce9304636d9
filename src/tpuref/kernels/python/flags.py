"""The flags of the cores and the poison: how processes of a pool wait and stop.

They lie in a control area of the shared memory: a header, then a slot for each core::

    header    poison
    slot      flag, last, sleepers | record 0, record 1 | staging 0, staging 1

Any process may set the poison. Only its own core writes to a slot, except to
``sleepers``, which counts the cores asleep on the flag. For records and staging areas
see `tpuref.kernels.python.links`.

**Flags.** A flag is ``run << 32 | phase``. It only grows: by one when its core arrives
at a point, or finishes a task, that others wait for. Members of a collective must
therefore reach it in the same phase, that is, after equally many collectives of the
same kinds in groups of the same size; equal programs on all cores do. Flags are
compared by the sign of their difference, because the number of the run wraps around; a
run has room for 2^32 - 2 phases. A core that leaves the run stores its flag in
``last``, and then ``run << 32 | 0xFFFFFFFF`` in the flag: a wait for a phase after
``last`` fails at once.

**A wait** spins, then yields the processor, then sleeps in short slices, and checks the
poison throughout. It has no deadline: the host watches the run and poisons it when its
time is up.

This twin accesses flags through a memory view of 8-byte words, which is one aligned
access on every platform that CPython runs on. It relies on the processor to keep the
order of stores, as x86-64 does; elsewhere use the compiled twin. It sleeps by the
clock. All cores of a run must use the same twin.
"""

import os
import time

import numpy as np
import numpy.typing as npt

from tpuref.kernels.buffers import Buffer, flat_bytes
from tpuref.kernels.status import FLAT_LIMIT, LEFT, OK, POISONED

_WORD = 8
_HEADER_WORDS = 16
_RECORDS = 16  # the first word of a slot's records
_RECORD_WORDS = 8
_STAGING = 32
_SLOT_WORDS = _STAGING + 2 * FLAT_LIMIT // _WORD

# The words of a slot.
_FLAG, _LAST = 0, 1

_GONE = 0xFFFFFFFF

_PENDING = -1
_YIELDS = 200
_NAP_SECONDS = 50e-6


def control_bytes(cores: int) -> int:
    """Return the size in bytes of the control area, which must be zero at first."""
    return _WORD * (_HEADER_WORDS + cores * _SLOT_WORDS)


class Flags:
    """The flags of all cores and the poison, as one process sees them.

    `control` is the offset of the control area in the arena, a multiple of 64.  It
    raises ValueError if there are no cores, or no room for that area.
    """

    def __init__(self, arena: Buffer, control: int, cores: int) -> None:
        self.arena = flat_bytes(arena, writable=True)
        _check_place(self.arena, control, cores)
        self._control = self.arena[control : control + control_bytes(cores)]
        self._words = self._control.data.cast("Q")
        self.cores = cores

    def poison(self, code: int) -> None:
        """Make all cores stop waiting; the first `code`, not 0, counts."""
        if self._words[0] == 0:
            self._words[0] = code

    def poisoned(self) -> int:
        """Return the code of the first poison, 0 without."""
        return self._words[0]

    def heal(self) -> None:
        """Remove the poison: for the host, while no core is in a run."""
        self._words[0] = 0

    def position(self, core: int) -> tuple[int, int]:
        """Return the run that a core is in, and its phase: 0xFFFFFFFF once it left.

        It raises ValueError if there is no such core.
        """
        if not 0 <= core < self.cores:
            raise ValueError(f"Flags: there are {self.cores} cores, got core {core}")
        flag = self._words[_slot(core) + _FLAG]
        return flag >> 32, flag & _GONE

    # For the links: what a core publishes in addition to its flag

    def record(self, core: int, parity: int) -> memoryview:
        """Return the words of one of a core's two records."""
        start = _slot(core) + _RECORDS + parity * _RECORD_WORDS
        return self._words[start : start + _RECORD_WORDS]

    def staging(self, core: int, parity: int) -> npt.NDArray[np.uint8]:
        """Return one of a core's two staging areas."""
        start = _WORD * (_slot(core) + _STAGING) + parity * FLAT_LIMIT
        return self._control[start : start + FLAT_LIMIT]

    # For the links: moving a core's own flag, and waiting for another's

    def publish(self, core: int, flag: int) -> None:
        """Move a core's flag."""
        self._words[_slot(core) + _FLAG] = flag

    def leave(self, core: int, flag: int) -> None:
        """Mark a core as gone from the run, after the phase of `flag`."""
        # A core that sees _GONE must read the last phase of this run.
        self._words[_slot(core) + _LAST] = flag
        self.publish(core, flag | _GONE)

    def look(self, core: int, target: int) -> int:
        """Return whether a core has reached a flag, as a status or `_PENDING`."""
        # A target that was reached counts even if the run is poisoned by now.
        flag = self._words[_slot(core) + _FLAG]
        if not _is_before(flag, target):
            if _is_within(flag, target):
                return OK
            last = self._words[_slot(core) + _LAST]
            if _is_within(last, target) and not _is_before(last, target):
                return OK
        if self._words[0] != 0:
            return POISONED
        return _PENDING if _is_before(flag, target) else LEFT

    def reach(self, core: int, target: int, spins: int) -> int:
        """Wait until a core has reached a flag."""
        for _turn in range(spins):
            status = self.look(core, target)
            if status != _PENDING:
                return status
        for _turn in range(_YIELDS):
            status = self.look(core, target)
            if status != _PENDING:
                return status
            os.sched_yield()
        while (status := self.look(core, target)) == _PENDING:
            time.sleep(_NAP_SECONDS)
        return status


def _check_place(arena: npt.NDArray[np.uint8], control: int, cores: int) -> None:
    if cores < 1:
        raise ValueError(f"Flags: expected 1 core or more, got cores={cores}")
    if control < 0 or control + control_bytes(cores) > arena.size:
        raise ValueError(
            f"Flags: the control area of {cores} cores takes {control_bytes(cores)} "
            f"bytes, which an arena of {arena.size} does not have at {control}"
        )
    if (arena.ctypes.data + control) % 64:
        raise ValueError("Flags: the control area must lie at a multiple of 64")


def _slot(core: int) -> int:
    """Return the first word of a core's slot."""
    return _HEADER_WORDS + core * _SLOT_WORDS


def _is_before(flag: int, other: int) -> bool:
    """Return whether a flag is lower; the number of the run may wrap around."""
    return (flag - other) % 2**64 >= 2**63


def _is_within(flag: int, other: int) -> bool:
    """Return whether two flags are of one run and the core of the first is in it."""
    return flag >> 32 == other >> 32 and flag & _GONE != _GONE
