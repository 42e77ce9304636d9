"""The context of operations with effects: variables, queues, the host."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from tpuref.engine.ops.meaning import Array


class Variables(Protocol):
    """The values of the variables, as one replica sees them."""

    def read(self, handle: str) -> Array:
        """Return the value of a variable."""

    def write(self, handle: str, value: Array) -> None:
        """Set the value of a variable."""

    def is_initialized(self, handle: str) -> bool:
        """Return whether the variable has a value."""


class Queue(Protocol):
    """A queue of tuples from the host to the replicas."""

    def enqueue(self, replica: int, elements: Sequence[Array]) -> None:
        """Add one tuple for a replica."""

    def dequeue(
        self, replica: int, timeout: float, watch: Callable[[], None] | None
    ) -> Sequence[Array]:
        """Take the next tuple of a replica, waiting at most `timeout` seconds."""

    def close(self) -> None:
        """Let replicas that find their queue empty see the end of the input."""


class DeviceQueues(Protocol):
    """The queues of the cores in one direction, infeed or outfeed."""

    def put(
        self,
        core: int,
        elements: Sequence[Array],
        timeout: float,
        watch: Callable[[], None] | None,
    ) -> None:
        """Add one tuple for a core, waiting at most `timeout` seconds for room."""

    def take(
        self, core: int, timeout: float, watch: Callable[[], None] | None
    ) -> Sequence[Array]:
        """Take the next tuple of a core, waiting at most `timeout` seconds."""


class Feed(Protocol):
    """The elements of a dataset for the iterations of a loop."""

    def next(self, replica: int, count: int) -> Sequence[Array]:
        """Return a replica's elements for its next iterations, `count` at most."""


class Iteration(Protocol):
    """One pass over a dataset."""

    def next(self) -> Sequence[Array]:
        """Return the next element."""


class State(Protocol):
    """State that lasts from run to run, besides the variables."""

    def infeed(self, name: str) -> Queue:
        """Return the infeed queue of that name."""

    def device_queues(self, name: str) -> DeviceQueues:
        """Return the queues of the cores, their infeed or their outfeed."""

    def clear_device_queues(self) -> None:
        """Empty the queues of the cores."""

    def begin_iteration(self, name: str, iteration: Any) -> None:
        """Start a new pass of an iterator."""

    def has_iteration(self, name: str) -> bool:
        """Return whether the iterator of that name was started."""

    def iteration(self, name: str) -> Iteration:
        """Return the current pass of an iterator; an error if none was started."""

    def begin_feed(
        self, name: str, iteration: Iteration, towers: int, width: int, steps: int
    ) -> None:
        """Start a pass that feeds the iterations of a loop."""

    def feed(self, name: str) -> Feed:
        """Return the feed of a loop."""


class Systems(Protocol):
    """The TPU systems of the jobs."""

    def replicate(self, instr: Any, inputs: Sequence[Array], run: Any) -> list[Array]:
        """Run a replicated computation and return the outputs of all replicas."""

    def initialize(self, instr: Any) -> bytes:
        """Start the system of a job and return its serialized topology."""

    def shutdown(self, instr: Any) -> None:
        """Stop the system of a job."""


class Run(Protocol):
    """One program being run.

    `functions` are the user's Python functions by token.  `systems` is None inside a
    replica.  `timeout` is the deadline of every wait in seconds; `watch` is called
    during long waits and may raise to end them.
    """

    functions: Mapping[int, Callable[..., Any]]
    systems: Systems | None
    timeout: float
    watch: Callable[[], None] | None

    @property
    def state(self) -> State:
        """The state that lasts from run to run."""


class EffectContext(Protocol):
    """The context of an effect, besides inputs and attributes."""

    instr: Any
    replica: int
    run: Any

    @property
    def variables(self) -> Variables:
        """The replica's view of the variables."""
