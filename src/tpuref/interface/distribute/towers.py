"""Run a function once per tower; all towers pause at each merge_call.

Each tower has a thread.  Towers run one at a time: tower 0 up to its next merge_call or
its end, then tower 1, and so on.  Then the merge function runs once, and the towers
continue.  In eager mode the towers may run concurrently.
"""

import contextlib
import functools
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base import nest
from tpuref.base.errors import OpError
from tpuref.engine.graph.aggregation import VariableAggregation
from tpuref.engine.graph.caller_context import CallerContext
from tpuref.engine.graph.default import executing_eagerly, get_default_graph
from tpuref.engine.graph.tensor import Operation
from tpuref.engine.ops.collectives import Groups
from tpuref.engine.tracing.function import untraced
from tpuref.interface.distribute import place
from tpuref.interface.distribute.grouping import merged, selected
from tpuref.interface.distribute.member import Member
from tpuref.interface.distribute.reduction import gathered
from tpuref.interface.distribute.tower_devices import TowerDevices
from tpuref.interface.distribute.values import DistributedValues, PerDevice
from tpuref.interface.functions.variable_scope import get_variable_scope, variable_scope
from tpuref.interface.tpu.peers import Peers, among, replicated_region


@dataclass(frozen=True)
class MergeCall:
    """A pending call of a tower: the merge function and the tower's arguments."""

    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    name_scope: str
    control: tuple[Operation, ...]

    @property
    def what(self) -> str:
        """The name of the call, for messages."""
        summing = isinstance(self.function, CrossTowerSum)
        return str(self.function) if summing else "merge_call"


@dataclass(frozen=True)
class CrossTowerSum:
    """Sums the towers' values in groups; the merge function of `cross_replica_sum`."""

    groups: Groups
    towers: TowerDevices

    def __call__(self, values: Any) -> Any:
        """Return the sums of a nest of tensors for each tower."""
        return nest.map_structure(self._totals, values)

    def __str__(self) -> str:
        over = f" over the groups {self.groups}" if len(self.groups) > 1 else ""
        return f"cross_replica_sum{over}"

    def _totals(self, value: Any) -> PerDevice:
        totals: dict[int, Any] = {}
        for group in self.groups:
            towers = sorted(group)
            parts = [self._part(value, tower) for tower in towers]
            with self.towers.on_tower(towers[0]):
                total = gathered(VariableAggregation.SUM, parts)
            totals.update(dict.fromkeys(towers, total))
        return PerDevice({name: totals[k] for k, name in enumerate(self.towers.names)})

    def _part(self, value: Any, tower: int) -> Any:
        shared = not isinstance(value, DistributedValues)
        return value if shared else value.get(self.towers.names[tower])


class _Abandoned(BaseException):
    """Ends the thread of a tower after another tower failed."""


class Tower:
    """One tower's call of the function, in a thread that pauses at each merge_call."""

    def __init__(
        self,
        context: Member,
        towers: TowerDevices,
        function: Callable[[], Any],
        caller: CallerContext,
        outer: place.Place,
    ) -> None:
        assert context.number is not None
        self.tower_id = context.number
        self.calls: Counter[str] = Counter()
        self.waiting: MergeCall | None = None
        self.ended = False
        self.result: Any = None
        self.error: BaseException | None = None
        self._context = context
        self._towers = towers
        self._function = function
        self._caller = caller
        self._outer = outer
        self._answer: Any = None
        self._abandoned = False
        self._go, self._paused = threading.Semaphore(0), threading.Semaphore(0)
        self._scopes_opened = set(get_default_graph().variable_scopes_opened)
        self._region = get_default_graph().region
        self._thread = threading.Thread(
            target=self._live, name=f"tower {self.tower_id}", daemon=True
        )
        self._thread.start()

    # -- the strategy's side ---------------------------------------------------

    def resume(self, answer: Any = None) -> None:
        """Let the tower run; `wait` returns once it pauses or ends."""
        self._answer, self.waiting = answer, None
        self._go.release()

    def wait(self) -> None:
        """Wait until the tower pauses or ends."""
        self._paused.acquire()
        if self.ended:
            self._thread.join()

    def abandon(self) -> None:
        """End a tower that is paused."""
        if not self.ended:
            self._abandoned = True
            self.resume()
            self.wait()

    @contextlib.contextmanager
    def own_scope_names(self) -> Iterator[None]:
        """Number the variable scopes as if no other tower had opened any."""
        graph = get_default_graph()
        # A tower that opened "dense" must not make the next tower's scope "dense_1":
        # both have to find the same variables.
        everyones = graph.variable_scopes_opened
        graph.variable_scopes_opened = self._scopes_opened
        try:
            yield
        finally:
            graph.variable_scopes_opened = everyones
            everyones |= self._scopes_opened

    # -- the tower's side ------------------------------------------------------

    def _live(self) -> None:
        self._go.acquire()
        try:
            if not self._abandoned:
                with self._caller.entered(), self._tower_scope():
                    self.result = self._function()
        except _Abandoned:
            pass
        except BaseException as error:
            self.error = error
        self.ended = True
        self._paused.release()

    @contextlib.contextmanager
    def _tower_scope(self) -> Iterator[None]:
        graph = get_default_graph()
        outer = graph.get_name_scope()
        label = f"tower_{self.tower_id}" if self.tower_id else outer and f"{outer}/"
        with (
            place.in_tower(self._outer, self._context, self._merge),
            among(self._peers()),
            self._towers.on_tower(self.tower_id),
            graph.name_scope(label),
            _shared_variables(self.tower_id > 0),
            untraced(),
        ):
            yield

    def _peers(self) -> Peers:
        def total(values: Any, groups: Groups) -> Any:
            return self._merge(CrossTowerSum(groups, self._towers), (values,), {})

        return Peers(self._towers.count, self.tower_id, total, replicated_region())

    def _merge(
        self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: Any
    ) -> Any:
        graph = get_default_graph()
        scopes = graph.scopes_in_force()
        call = MergeCall(function, args, kwargs, scopes["name"], scopes["control"])
        if graph.region is not self._region and not executing_eagerly():
            raise codes.REPLICAS_MISSING.runtime_error(
                f"{call.what} was made within tf.cond or tf.while_loop of tower "
                f"{self.tower_id}, where it cannot wait for the other towers; make "
                "it before or after"
            )
        self.calls[call.what] += 1
        self.waiting = call
        self._paused.release()
        self._go.acquire()
        if self._abandoned:
            raise _Abandoned
        return self._answer


@contextlib.contextmanager
def _shared_variables(shared: bool) -> Iterator[None]:
    """Let a later tower reuse the variables that the first one has made."""
    if not shared or executing_eagerly():
        yield
        return
    with variable_scope(get_variable_scope(), reuse=True, auxiliary_name_scope=False):
        yield


def call_for_each_tower(
    fn: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    contexts: Sequence[Member],
    towers: TowerDevices,
) -> Any:
    """Call a function once for each tower with its components of the arguments.

    Returns the results merged.  ``run_concurrently`` is not passed to the function.
    """
    if not callable(fn):
        raise codes.WRONG_ARGUMENT_TYPE.type_error(
            f"call_for_each_tower: fn must be callable, got {type(fn).__name__} {fn!r}"
        )
    _check_region(contexts)
    concurrently = kwargs.pop("run_concurrently", True)
    functions = [
        functools.partial(fn, *selected(device, args), **selected(device, dict(kwargs)))
        for device in towers.names
    ]
    return merged(run_towers(functions, contexts, towers, concurrently), towers.names)


def _check_region(contexts: Sequence[Member]) -> None:
    """Raise an error inside a replicated computation of another number of replicas."""
    outer = replicated_region()
    if outer is not None and outer.replicas != len(contexts):
        raise codes.NESTED_COMPUTATION.runtime_error(
            f"call_for_each_tower: {contexts[0].strategy!r} was used inside of "
            f"{outer.name!r}, a replicated computation of {outer.replicas} replicas; "
            f"there must be {len(contexts)}, one for each tower"
        )


def run_towers(
    functions: Sequence[Callable[[], Any]],
    contexts: Sequence[Member],
    towers: TowerDevices,
    concurrently: bool,
) -> list[Any]:
    """Run one function for each tower and return their results in tower order."""
    caller, outer = CallerContext(), place.current_place()
    running = [
        Tower(context, towers, function, caller, outer)
        for context, function in zip(contexts, functions, strict=True)
    ]
    together = concurrently and executing_eagerly()
    try:
        answers: Sequence[Any] = [None] * len(running)
        while True:
            _advance(running, answers, together)
            if all(tower.ended for tower in running):
                return [tower.result for tower in running]
            answers = _merge(running, towers.names)
    finally:
        for tower in running:
            tower.abandon()


def _advance(towers: Sequence[Tower], answers: Sequence[Any], together: bool) -> None:
    """Let each tower run to its next merge_call or its end."""
    if together:
        for tower, answer in zip(towers, answers, strict=True):
            tower.resume(answer)
        for tower in towers:
            tower.wait()
    for tower, answer in zip(towers, answers, strict=True):
        if not together:
            with tower.own_scope_names():
                tower.resume(answer)
                tower.wait()
        if tower.error is not None:
            raise named(tower.error, tower.tower_id, len(towers))


def named(error: BaseException, tower: int, towers: int) -> BaseException:
    """Return the error with the tower in its message."""
    where = f"in tower {tower} of {towers}: "
    if isinstance(error, OpError):
        error.message = where + error.message
    elif not error.args or isinstance(error.args[0], str):
        error.args = (where + "".join(error.args[:1]), *error.args[1:])
    elif hasattr(error, "add_note"):
        error.add_note(f"in tower {tower} of {towers}")
    return error


def _merge(towers: Sequence[Tower], devices: Sequence[str]) -> list[Any]:
    """Run the merge function once; return each tower's components of its result."""
    calls = [tower.waiting for tower in towers if tower.waiting is not None]
    if len(calls) < len(towers) or len({call.what for call in calls}) > 1:
        raise _uneven_calls_error(towers)
    # The merge function depends on the control dependencies of all towers' calls.
    first, graph = calls[0], get_default_graph()
    awaited = list(dict.fromkeys(op for call in calls for op in call.control))
    with place.across_towers(), graph.name_scope(first.name_scope):
        args = merged([call.args for call in calls], devices)
        kwargs = merged([call.kwargs for call in calls], devices)
        with graph.control_dependencies(awaited):
            result = first.function(*args, **kwargs)
    return [selected(device, result) for device in devices]


def _uneven_calls_error(towers: Sequence[Tower]) -> RuntimeError:
    at: dict[str, list[Tower]] = {}
    for tower in towers:
        what = "over" if tower.waiting is None else f"at a {tower.waiting.what}"
        at.setdefault(what, []).append(tower)
    over = at.pop("over", [])
    states = [f"{_numbers(them)} {what}" for what, them in at.items()]
    states += [f"{_numbers(over)} over"] if over else []
    (what, *others) = [what.removeprefix("at a ") for what in at]
    counts = ", ".join(f"tower {t.tower_id} made {t.calls[what]}" for t in towers)
    fault = f"numbers of {what}" if not others else "calls"
    return codes.REPLICAS_MISSING.runtime_error(
        f"the towers made different {fault}: {' while '.join(states)}"
        f"{'' if others else f' ({counts})'}. Every tower has to make the same merge "
        "calls and sums in the same order"
    )


def _numbers(towers: Sequence[Tower]) -> str:
    ids = ", ".join(str(tower.tower_id) for tower in towers)
    return f"tower {ids} is" if len(towers) == 1 else f"towers {ids} are"
