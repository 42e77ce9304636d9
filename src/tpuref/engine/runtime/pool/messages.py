"""The larger messages between the host and a process of the pool.

A message is a tuple that begins with its kind; these records are the rest of it.
"""

from __future__ import annotations

import signal
from typing import NamedTuple

from tpuref.engine.runtime.pool.descriptions import Described, DescribedColumn

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
    program, placement
        The number of the program, and of the cores that it runs on.
    inputs
        The inputs of the replicas of which the process carries a core.
    draws
        How often each replica evaluated each random operation before.
    owners
        The replicas whose values of the variables that they write are wanted.
    blocks
        For each result the size per replica and the offset of its block, None for no
        block.
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
    placement: int
    inputs: list[DescribedColumn]
    draws: list[Drawn]
    owners: list[int]
    blocks: list[tuple[int, int] | None]
    variables: list[tuple[str, Described | None]]
    entropy: int
    timeout: float
    traced: bool
    capacity: int
    freed: list[int]
    all_reduce: str


Drawn = tuple[int, str, int]
"""A replica, a random operation, and how often the one has evaluated the other."""


class Results(NamedTuple):
    """``done``, from a process: the outcome for its cores.

    Attributes
    ----------
    outputs
        The results of the replicas whose first core it carries, None for those that
        lie in their block.
    written
        The variables that replicas wrote: replica, name and value.
    draws
        How often each replica has evaluated each random operation.
    trace
        Each core with the names of the operations that ran on it.
    """

    outputs: list[DescribedColumn | None]
    written: list[tuple[int, str, Described]]
    draws: list[Drawn]
    trace: list[tuple[int, list[str]]]


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
