"""Access to this process's host number and the hosts of the program."""

from __future__ import annotations

import contextlib
import os
import threading
from typing import TYPE_CHECKING

from tpuref.engine.configuration import config

if TYPE_CHECKING:
    from tpuref.engine.runtime.hosts.member import Member

_joining = threading.Lock()
_member: Member | None = None
_decided = False
_ALONE = contextlib.nullcontext()


def member() -> Member | None:
    """Return this process as one of several hosts, None if it is the only one.

    The first call with the executor on XLA joins the job.  It raises UnavailableError
    if not all hosts join in time, and ValueError if the settings contradict each other,
    or JAX was used before.
    """
    global _member, _decided
    if _decided or (config.executor != "xla" and config.coordinator is None):
        return _member
    with _joining:
        if not _decided:
            # Imported here, as few programs have several hosts.
            from tpuref.engine.runtime.hosts.job import wanted_job
            from tpuref.engine.runtime.hosts.member import Member

            job = wanted_job()
            if job is not None:
                _member = Member(job)
                _member.start_jax()
            _decided = True
    return _member


def count() -> int:
    """Return the number of hosts that run the program."""
    own = member()
    return 1 if own is None else own.hosts


def index() -> int:
    """Return the number of this host."""
    own = member()
    return 0 if own is None else own.host


def is_chief() -> bool:
    """Return whether this host writes checkpoints and summaries: host 0 does."""
    return index() == 0


def entropy() -> int:
    """Return a seed for operations without one; all hosts share it."""
    own = member()
    return int.from_bytes(os.urandom(7), "little") if own is None else own.entropy


def step() -> contextlib.AbstractContextManager[None]:
    """Run a step of all hosts in a ``with`` block, as `Member.running` does."""
    return _ALONE if _member is None else _member.running()


def meet(purpose: str) -> None:
    """Wait until all hosts are at this point, such as before restoring a checkpoint.

    `purpose` says why; hosts that meet for different purposes raise an error.
    """
    own = member()
    if own is not None:
        own.meet(purpose)


def is_broken() -> bool:
    """Return whether a host is lost, so that no step can run any more."""
    return _member is not None and _member.is_broken


def fail(why: str, status: int) -> None:
    """Record that the script failed, to be reported to the other hosts at exit.

    `why` is the reason, `status` the exit status of the process.
    """
    if _member is not None:
        _member.fail(why, status)
