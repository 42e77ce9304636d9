"""The state between runs: variables, random draws, queues, iterators."""

import contextlib
import itertools
import threading
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Protocol

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base import errors
from tpuref.engine.ops.meaning import Array
from tpuref.engine.ops.ownership import owned
from tpuref.engine.runtime.hosts import here
from tpuref.engine.runtime.meaning.device_queues import DeviceQueues
from tpuref.engine.runtime.meaning.feed import Feed
from tpuref.engine.runtime.meaning.feed_queues import DIRECTIONS, FeedQueues
from tpuref.engine.runtime.meaning.infeed import Infeed
from tpuref.engine.runtime.meaning.iteration import Iteration


class OnDevice:
    """The value of a variable that the host does not hold.

    It is no abstract class, as those take four times as long to recognise.
    """

    __slots__ = ("__weakref__",)

    def fetch(self) -> Array:
        """Return the value, for the host."""
        raise NotImplementedError


def fetched(value: Array | OnDevice) -> Array:
    """Return the value of a variable, for the host."""
    return value.fetch() if isinstance(value, OnDevice) else value


class Draws(Protocol):
    """The random draws and the infeed queues of a run."""

    def generator(
        self, operation: str, replica: int, seed: tuple[int | None, int | None]
    ) -> np.random.Generator:
        """Return the random generator for the next evaluation of an operation."""

    def infeed(self, name: str) -> Infeed:
        """Return the infeed queue of that name."""

    def device_queues(self, name: str) -> DeviceQueues:
        """Return the queues of the cores, their infeed or their outfeed."""

    def end_waits(self, names: Collection[str], failure: str) -> None:
        """Wake the threads that wait for queues of a computation that failed."""


class State:
    """The variables, random draws, infeed queues and iterators of one session.

    `queues` are the queues that it shares with other sessions; by default it shares
    none.
    """

    def __init__(self, queues: FeedQueues | None = None) -> None:
        self._values: dict[str, Array | OnDevice] = {}
        self._draws: dict[tuple[str, int], int] = {}
        self._queues = FeedQueues() if queues is None else queues
        self._infeeds: dict[str, Infeed] = {}
        self._device_queues: dict[str, DeviceQueues] = {}
        self._iterations: dict[str, Iteration] = {}
        self._feeds: dict[str, Feed] = {}
        self._lock = threading.Lock()
        self._closed = False
        self.entropy = here.entropy()

    def read(self, handle: str) -> Array:
        """Return the value of a variable; it is an error if it has none yet."""
        with self._lock:
            if handle not in self._values:
                raise errors.FailedPreconditionError(uninitialized(handle))
            value = self._values[handle]
        return fetched(value)

    def held(self, handle: str) -> Array | OnDevice:
        """Return the value of a variable where it is."""
        with self._lock:
            return self._values[handle]

    def values(self, handles: Iterable[str]) -> dict[str, Array | OnDevice | None]:
        """Return the values of variables where they are, None for one without."""
        with self._lock:
            return {handle: self._values.get(handle) for handle in handles}

    def write(self, handle: str, value: Array | OnDevice) -> None:
        """Give a variable a new value."""
        self.update({handle: value})

    def update(self, values: Mapping[str, Array | OnDevice]) -> None:
        """Give variables new values."""
        kept = {
            handle: value if isinstance(value, OnDevice) else owned(value)
            for handle, value in values.items()
        }
        with self._lock:
            self._values.update(kept)

    def relocate(
        self, handle: str, value: Array | OnDevice, copy: Array | OnDevice
    ) -> None:
        """Hold the value of a variable in other memory, unless it has a new one."""
        with self._lock:
            if self._values.get(handle) is value:
                self._values[handle] = copy

    def is_initialized(self, handle: str) -> bool:
        """Return whether the variable has a value."""
        with self._lock:
            return handle in self._values

    def generator(
        self, operation: str, replica: int, seed: tuple[int | None, int | None]
    ) -> np.random.Generator:
        """Return the random generator for the next evaluation of an operation.

        Its stream depends on the seeds, the replica and how often the operation was
        evaluated before in this session; without seeds also on the session.
        """
        with self._lock:
            draw = self._draws.get((operation, replica), 0)
            self._draws[operation, replica] = draw + 1
        return stream(operation, replica, draw, seed, self.entropy)

    def draws(self, operation: str, replica: int) -> int:
        """Return how often the operation was evaluated on the replica."""
        with self._lock:
            return self._draws.get((operation, replica), 0)

    def set_draws(self, operation: str, replica: int, count: int) -> None:
        """Note how often the operation has been evaluated on the replica."""
        with self._lock:
            self._draws[operation, replica] = count

    def infeed(self, name: str) -> Infeed:
        """Return the infeed queue of that name."""
        with self._lock:
            if name not in self._infeeds:
                self._infeeds[name] = self._queues.infeed(name, self)
            return self._infeeds[name]

    def device_queues(self, name: str) -> DeviceQueues:
        """Return the queues of the cores, their infeed or their outfeed."""
        if name not in DIRECTIONS:
            raise errors.InvalidArgumentError(
                f"cores have no queue {name!r}, but {sorted(DIRECTIONS)}",
                code=codes.FEED_MISPLACED,
            )
        with self._lock:
            if name not in self._device_queues:
                self._device_queues[name] = self._queues.of_cores(name, self)
            return self._device_queues[name]

    def end_waits(self, names: Collection[str], failure: str) -> None:
        """Wake the threads that wait for queues of a computation that failed."""
        for name in DIRECTIONS.keys() & names:
            # A closed session does not use a queue again.
            if name in self._device_queues or not self._closed:
                self.device_queues(name).give_up(failure)

    def clear_device_queues(self) -> None:
        """Empty the queues of the cores."""
        for name in DIRECTIONS:
            self.device_queues(name).clear()

    def begin_iteration(self, name: str, iteration: Iteration) -> None:
        """Start a new pass of an iterator."""
        with self._lock:
            before = self._iterations.get(name)
            self._iterations[name] = iteration
        if before is not None:
            before.close()

    def lend_iteration(self, name: str, iteration: Iteration) -> None:
        """Let an iterator give the elements of a pass that somebody else ends."""
        with self._lock:
            self._iterations[name] = iteration

    def has_iteration(self, name: str) -> bool:
        """Return whether the iterator of that name has begun."""
        with self._lock:
            return name in self._iterations

    def iteration(self, name: str) -> Iteration:
        """Return the current pass of an iterator; it is an error if there is none."""
        with self._lock:
            if name not in self._iterations:
                raise errors.FailedPreconditionError(
                    f"the iterator {name!r} has not been initialized in this session; "
                    "run its initializer before getting the next element",
                    code=codes.UNINITIALIZED,
                )
            return self._iterations[name]

    def begin_feed(
        self, name: str, iteration: Iteration, towers: int, width: int, steps: int
    ) -> None:
        """Start feeding a loop of the replicas from a pass."""
        with self._lock:
            self._feeds[name] = Feed(iteration.next, towers, width, steps)

    def feed(self, name: str) -> Feed:
        """Return the feed of a loop."""
        with self._lock:
            return self._feeds[name]

    def close(self) -> None:
        """Forget the variables, and end the iterators with their threads."""
        self._closed = True
        with self._lock:
            self._values.clear()
            self._infeeds.clear()
            self._queues.leave(self)
            iterations = list(self._iterations.values())
        for iteration in iterations:
            iteration.close()

    def require_open(self) -> None:
        """Raise CancelledError if the session was closed; a run that waits asks."""
        if self._closed:
            raise session_closed()

    @contextlib.contextmanager
    def set_aside(self) -> Iterator[None]:
        """Start afresh within a ``with`` block, and restore everything afterwards."""
        before = vars(self).copy()
        vars(self).update(vars(State()))
        try:
            yield
        finally:
            self.close()
            vars(self).update(before)


def uninitialized(handle: str) -> str:
    """Return the message for reading a variable that has no value."""
    return (
        f"the variable {handle!r} has no value yet in this session; run its "
        "initializer first, for example tf.global_variables_initializer()"
        f" [{codes.UNINITIALIZED}]"
    )


def stream(
    operation: str,
    replica: int,
    draw: int,
    seed: tuple[int | None, int | None],
    entropy: int,
) -> np.random.Generator:
    """Return the generator of one draw; without seeds it depends on `entropy`."""
    if seed[0] is None or seed[1] is None:
        origin = [entropy, zlib.crc32(operation.encode(errors="surrogatepass"))]
    else:
        origin = [seed[0] % 2**64, seed[1] % 2**64]
    return np.random.default_rng([*origin, replica, draw])


class ReplicaVariables:
    """One replica's view of the variables while a replicated computation runs.

    `handles` has the handles of the replica's own components, by their common handle.
    """

    def __init__(
        self, shared: State, handles: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        self._shared = shared
        self._handles = handles
        self.written: dict[str, Array | OnDevice] = {}

    def read(self, handle: str) -> Array:
        """Return the value that this replica wrote, or that from before the run."""
        handle = self._handles.get(handle, handle)
        if handle in self.written:
            return fetched(self.written[handle])
        return self._shared.read(handle)

    def values(self, handles: Iterable[str]) -> dict[str, Array | OnDevice | None]:
        """Return the values of variables before the run, None for one without."""
        return self._shared.values(handles)

    def held(self, handle: str) -> Array | OnDevice:
        """Return the replica's value, or that from before the run, without a copy."""
        handle = self._handles.get(handle, handle)
        if handle in self.written:
            return self.written[handle]
        return self._shared.held(handle)

    def write(self, handle: str, value: Array | OnDevice) -> None:
        """Give the variable a new value for this replica."""
        handle = self._handles.get(handle, handle)
        self.written[handle] = value

    def relocate(
        self, handle: str, value: Array | OnDevice, copy: Array | OnDevice
    ) -> None:
        """Hold the value from before the run in other memory."""
        self._shared.relocate(handle, value, copy)

    def is_initialized(self, handle: str) -> bool:
        """Return whether the variable has a value."""
        handle = self._handles.get(handle, handle)
        return handle in self.written or self._shared.is_initialized(handle)


def commit(
    views: list[ReplicaVariables],
    host: ReplicaVariables,
    shared: State,
    check: bool,
    owners: Mapping[str, int] = MappingProxyType({}),
) -> None:
    """Keep the values that replica 0 wrote; with `check`, all replicas must agree.

    Of a variable with an owner, the value that the owner wrote is kept; of one that the
    host parts wrote, what the last of them left.
    """
    written = dict.fromkeys(itertools.chain(*[view.written for view in views]))
    _check_host_parts(written, host)
    if check:
        for handle in written:
            if handle not in owners:
                _check_agreement(handle, views)
    values = {**host.written, **views[0].written}
    for handle, owner in owners.items():
        if handle in written:
            values.pop(handle, None)
        if handle in views[owner].written:
            values[handle] = views[owner].written[handle]
    shared.update(values)


def have_equal_bits(a: Array, b: Array) -> bool:
    """Return whether arrays have the same shape, dtype and bits."""
    alike = a.shape == b.shape and a.dtype == b.dtype
    return a is b or (alike and a.tobytes() == b.tobytes())


def _check_host_parts(written: Collection[str], host: ReplicaVariables) -> None:
    both = [handle for handle in host.written if handle in written]
    if both:
        raise errors.InvalidArgumentError(
            f"the variable {both[0]!r} is assigned by a replicated computation and by "
            "its host part (tf.tpu.outside_compilation), which do not wait for each "
            "other; assign it in one of them",
            code=codes.REPLICAS_DISAGREE,
        )


def _check_agreement(handle: str, views: list[ReplicaVariables]) -> None:
    for replica, view in enumerate(views):
        if not view.is_initialized(handle):
            raise errors.InvalidArgumentError(
                f"replica {replica} leaves no value in variable {handle!r}, which "
                "other replicas assign; assign it on all replicas, or initialise it "
                "before",
                code=codes.REPLICAS_DISAGREE,
            )
    first = views[0].read(handle)
    for replica, view in enumerate(views[1:], start=1):
        value = view.read(handle)
        if value.shape != first.shape:
            raise errors.InvalidArgumentError(
                f"replicas leave different shapes in variable {handle!r}: replica 0 "
                f"{list(first.shape)}, replica {replica} {list(value.shape)}; sum or "
                "average over replicas first",
                code=codes.REPLICAS_DISAGREE,
            )
        where = _first_difference(first, value)
        if where is not None:
            raise errors.InvalidArgumentError(
                f"replicas leave different values in variable {handle!r}: at index "
                f"{list(where)} replica 0 has {first[where]}, replica {replica} has "
                f"{value[where]}; assign a value that is equal on all replicas, such "
                "as one from tf.tpu.cross_replica_sum",
                code=codes.REPLICAS_DISAGREE,
            )


def _first_difference(a: Array, b: Array) -> tuple[int, ...] | None:
    """Return the first index at which the bits differ, None if there is none."""
    if a.dtype == object:
        differing = np.flatnonzero(a != b)
    elif a.tobytes() == b.tobytes():
        return None
    else:
        bits = (-1, a.itemsize)
        rows = [np.frombuffer(x.tobytes(), np.uint8).reshape(bits) for x in (a, b)]
        differing = np.flatnonzero((rows[0] != rows[1]).any(axis=1))
    if not differing.size:
        return None
    return tuple(int(i) for i in np.unravel_index(differing[0], a.shape))


def session_closed() -> errors.CancelledError:
    """Return the error of a run that waits in a session that is closed."""
    message = "the session was closed while this run waited"
    return errors.CancelledError(message, code=codes.SESSION_CLOSED)
