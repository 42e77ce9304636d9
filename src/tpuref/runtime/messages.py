"""The larger messages between the host and a process of the pool.

A message is a tuple that begins with its kind; these records are the rest of it.
"""

from __future__ import annotations

import signal
from typing import NamedTuple

from tpuref.runtime.descriptions import Described

STACK_SIGNAL: int | None = getattr(signal, "SIGUSR1", None)
"""What the host sends to a process that is to write its stack to its log, if it can."""

Site = tuple[str, int, str, "str | None"]
"""A call site, as plain values."""


class RunRequest(NamedTuple):
    """``run``, from the host: what the cores of one process have to do.

    Attributes
    ----------
    run
        The number of the run.
    program
        The number of the program.
    placement
        The physical cores, by replica and logical core.
    replicas
        What is given to each replica of which the process carries a core.
    variables
        The value of each variable, None for one without, unless it is the same as in
        the last run of the program with these cores.
    entropy
        Makes draws without seeds differ from session to session.
    timeout
        The deadline of every wait, in seconds.
    traced
        Whether it sends the names of the operations that ran.
    capacity
        How many events of each core it records.
    freed
        The blocks of the process's heap that the host no longer uses.
    all_reduce
        The algorithm for sums over replicas.
    """

    run: int
    program: int
    placement: tuple[tuple[int, ...], ...]
    replicas: list[Given]
    variables: list[tuple[str, Described | None]]
    entropy: int
    timeout: float
    traced: bool
    capacity: int
    freed: list[int]
    all_reduce: str


Given = tuple[
    int,
    list[Described],
    list[tuple[str, int]],
    bool,
    list["tuple[int, int] | None"],
]
"""The part of a request for one replica: its number, its inputs, how often each random
operation was evaluated before, whether the variables that it wrote are wanted, and
offset and size of the block for each result, None for no block."""


class Results(NamedTuple):
    """One entry of ``done``, from a process: the outcome for one of its cores.

    Attributes
    ----------
    core
        The core.
    outputs
        The results of its replica, None for each that lies in its block.
    written
        The variables that it wrote.
    draws
        How often each random operation has been evaluated.
    trace
        The names of the operations that ran.
    """

    core: int
    outputs: list[Described | None]
    written: list[tuple[str, Described]]
    draws: list[tuple[str, int]]
    trace: list[str]


class Divergence(NamedTuple):
    """One entry of ``diverged``: a replica that did not meet others in a collective.

    Attributes
    ----------
    replica
        The replica.
    op, name, site
        The collective that the core is in.
    shape
        The shape of its replica's contribution.
    group
        The replicas that should have met.
    """

    replica: int
    op: str
    name: str
    site: Site
    shape: tuple[int, ...]
    group: list[int]


class Failure(NamedTuple):
    """``error``, from a process: what one of its cores raised.

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
