"""The larger messages between the host and a core.

A message is a tuple that begins with its kind; these records are the rest of it.
"""

from __future__ import annotations

import signal
from typing import NamedTuple

from tpuref.runtime.descriptions import Described

STACK_SIGNAL: int | None = getattr(signal, "SIGUSR1", None)
"""What the host sends to a core that is to write its stack to its log, if it can."""

Site = tuple[str, int, str, "str | None"]
"""A call site, as plain values."""


class RunRequest(NamedTuple):
    """``run``, from the host: what one core has to do.

    Attributes
    ----------
    run
        The number of the run.
    program
        The number of the program.
    replica, logical_core
        What the core is in this run.
    placement
        The physical cores, by replica and logical core.
    inputs
        The inputs of the replica.
    variables
        The variables that it reads or writes and that have a value.
    draws
        How often each random operation was evaluated before.
    entropy
        Makes draws without seeds differ from session to session.
    timeout
        The deadline of every wait, in seconds.
    reports_writes
        Whether the core sends the variables that it wrote.
    traced
        Whether it sends the names of the operations that ran.
    capacity
        How many events it records.
    result_blocks
        Offset and size of the block for each result, None for no block.
    freed
        The blocks of the core's heap that the host no longer uses.
    all_reduce
        The algorithm for sums over replicas.
    """

    run: int
    program: int
    replica: int
    logical_core: int
    placement: tuple[tuple[int, ...], ...]
    inputs: list[Described]
    variables: list[tuple[str, Described]]
    draws: list[tuple[str, int]]
    entropy: int
    timeout: float
    reports_writes: bool
    traced: bool
    capacity: int
    result_blocks: list[tuple[int, int] | None]
    freed: list[int]
    all_reduce: str


class Results(NamedTuple):
    """``done``, from a core: the outcome of its run.

    Attributes
    ----------
    outputs
        The results of its replica, None for each that lies in its block.
    written
        The variables that it wrote.
    draws
        How often each random operation has been evaluated.
    trace
        The names of the operations that ran.
    """

    outputs: list[Described | None]
    written: list[tuple[str, Described]]
    draws: list[tuple[str, int]]
    trace: list[str]


class Divergence(NamedTuple):
    """``diverged``, from a core: replicas did not reach the same collective.

    Attributes
    ----------
    op, name, site
        The collective that the core is in.
    shape
        The shape of its replica's contribution.
    group
        The replicas that should have met.
    """

    op: str
    name: str
    site: Site
    shape: tuple[int, ...]
    group: list[int]


class Failure(NamedTuple):
    """``error``, from a core: what it raised.

    Attributes
    ----------
    kind, message
        The class of the error, and what it says.
    op, site
        The operation that failed, None if that is not known.
    text
        The traceback.
    """

    kind: str
    message: str
    op: str | None
    site: Site | None
    text: str
