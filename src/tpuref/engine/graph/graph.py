"""The graph: operations in the order they were built, and the scopes in force."""

from __future__ import annotations

import contextlib
import itertools
import re
import threading
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base import nest
from tpuref.base.arguments import check_name, instance_of, listed, wrong_type
from tpuref.base.callsite import CallSite, user_site
from tpuref.base.errors import InaccessibleTensorError, coded
from tpuref.base.limits import MAX_DEPTH
from tpuref.base.spec import TensorSpec
from tpuref.engine.graph.context import use_graph
from tpuref.engine.graph.device import DeviceFunction, DeviceName, Unplaced, place
from tpuref.engine.graph.region import Region
from tpuref.engine.graph.tensor import Operation, Tensor
from tpuref.engine.graph.tower_placement import LABEL, TowerPlacement
from tpuref.names.members import ExplainsMissing, explain_missing_members

_VALID_NAME = re.compile(r"^[A-Za-z0-9.][A-Za-z0-9_.\-/>]*$")


@explain_missing_members("tf.GraphKeys")
class GraphKeys(metaclass=ExplainsMissing):
    """The names of the standard collections."""

    GLOBAL_VARIABLES = "variables"
    LOCAL_VARIABLES = "local_variables"
    TRAINABLE_VARIABLES = "trainable_variables"
    MODEL_VARIABLES = "model_variables"
    REGULARIZATION_LOSSES = "regularization_losses"
    LOSSES = "losses"
    UPDATE_OPS = "update_ops"
    SUMMARIES = "summaries"
    SUMMARY_OP = "summary_op"
    GLOBAL_STEP = "global_step"
    METRIC_VARIABLES = "metric_variables"
    MOVING_AVERAGE_VARIABLES = "moving_average_variables"
    SAVERS = "savers"
    SAVEABLE_OBJECTS = "saveable_objects"
    TABLE_INITIALIZERS = "table_initializer"
    INIT_OP = "init_op"
    LOCAL_INIT_OP = "local_init_op"
    READY_OP = "ready_op"
    READY_FOR_LOCAL_INIT_OP = "ready_for_local_init_op"
    ACTIVATIONS = "activations"
    BIASES = "biases"
    WEIGHTS = "weights"
    TRAIN_OP = "train_op"
    EVAL_STEP = "eval_step"
    QUEUE_RUNNERS = "queue_runners"


@explain_missing_members("tf.Graph")
class Graph:
    """Operations and the tensors between them.

    A graph is built by calling functions while it is the default graph, and its
    values exist once a session runs it.

    Examples
    --------
    >>> with tf.Graph().as_default() as graph:
    ...     total = tf.constant(1) + tf.constant(2)
    >>> [operation.type for operation in graph.get_operations()]
    ['Const', 'Const', 'AddV2']
    """

    _serial = itertools.count()

    def __init__(self) -> None:
        self.serial = next(Graph._serial)
        self.traced = False  # whether it is that of a tf.function
        self.abandoned_loop: CallSite | None = None
        self.seed: int | None = None
        self.padding_log: dict[str, Any] = {}
        self.host_functions: dict[int, Callable[..., Any]] = {}
        self.queues: dict[str, Any] = {}
        self.variables_by_name: dict[str, Any] = {}
        self.read: dict[str, Any] = {}  # the variables that are read, by handle
        self.calls: dict[Hashable, Any] = {}  # of functions, traced in this graph
        self.builders: set[int] = set()  # the threads that have added operations
        self.last_loss_reduction: str | None = None
        self.variable_scopes_opened: set[str] = set()
        self._operations: list[Operation] = []
        self._by_name: dict[str, Operation] = {}
        self._names_in_use: dict[str, int] = {}
        self._collections: dict[str, list[Any]] = {}
        self._finalized = False
        self._lock = threading.RLock()
        self._scopes = _Scopes()

    # -- content ---------------------------------------------------------------

    @property
    def version(self) -> int:
        """A number that grows with every operation."""
        return len(self._operations)

    def get_operations(self) -> list[Operation]:
        """Return all operations in the order they were built."""
        return list(self._operations)

    def get_operation_by_name(self, name: str) -> Operation:
        """Return the operation of that name; KeyError if it does not exist."""
        instance_of(str, "Graph.get_operation_by_name: name", "a string", name)
        try:
            return self._by_name[name]
        except KeyError:
            raise coded(
                KeyError,
                f"the graph has no operation named {name!r}; Graph.get_operations() "
                "lists those it has",
                code=codes.NO_SUCH_ELEMENT,
            ) from None

    def get_tensor_by_name(self, name: str) -> Tensor:
        """Return the tensor ``operation:index``; KeyError if it does not exist."""
        instance_of(str, "Graph.get_tensor_by_name: name", "a string", name)
        operation, colon, index = name.partition(":")
        if not colon or not index.isdigit():
            raise codes.NO_SUCH_ELEMENT.value_error(
                f"the tensor name {name!r} is not of the form 'operation:index', "
                "such as 'add:0'"
            )
        outputs = self.get_operation_by_name(operation).outputs
        if int(index) >= len(outputs):
            raise coded(
                KeyError,
                f"operation {operation!r} has {len(outputs)} outputs, so there is no "
                f"tensor {name!r}",
                code=codes.NO_SUCH_ELEMENT,
            )
        return outputs[int(index)]

    def as_graph_element(
        self, obj: Any, allow_tensor: bool = True, allow_operation: bool = True
    ) -> Tensor | Operation:
        """Return the tensor or operation that `obj` is or names."""
        converted = getattr(obj, "_as_graph_element", None)
        if callable(converted):
            obj = converted()
        if isinstance(obj, str):
            named = (
                self.get_tensor_by_name(obj)
                if ":" in obj
                else self.get_operation_by_name(obj)
            )
            return self.as_graph_element(named, allow_tensor, allow_operation)
        if isinstance(obj, Tensor) and allow_tensor:
            element: Tensor | Operation = obj
        elif isinstance(obj, Operation) and allow_operation:
            element = obj
        else:
            raise TypeError(
                f"expected a tensor, an operation or the name of one, got {obj!r}"
            )
        if element.graph is not self:
            raise codes.OTHER_GRAPH.value_error(
                f"{element!r} belongs to another graph than {self!r}"
            )
        return element

    def create_operation(
        self,
        type: str,
        inputs: Sequence[Tensor] = (),
        specs: Sequence[TensorSpec] = (),
        attrs: Mapping[str, Any] | None = None,
        name: str | None = None,
        blocks: Sequence[Region] = (),
    ) -> Operation:
        """Add one operation, placed by the scopes in force."""
        with self._lock:
            if self._finalized:
                raise codes.FROZEN.runtime_error(
                    "the graph is finalized and cannot be changed"
                )
            check_name(type, name)
            site = user_site()
            inputs = [self._within_reach(tensor) for tensor in inputs]
            needed: list[Tensor | Operation] = [*inputs, *self._scopes.control]
            for used in needed:
                self.check_accessible(used, type)
            operation = Operation(
                self,
                type,
                self._operation_name(name or type),
                inputs=inputs,
                specs=specs,
                attrs=attrs or {},
                control_inputs=self._scopes.control,
                device=DeviceName(),
                region=self._scopes.region,
                blocks=blocks,
                site=site,
                index=len(self._operations),
            )
            operation.labels.update(self._scopes.labels())
            place(operation, self._scopes.devices)
            self.add(operation)
            return operation

    def add(self, operation: Operation) -> None:
        """Add an operation, with a unique name."""
        self.builders.add(threading.get_ident())
        self._operations.append(operation)
        self._by_name[operation.name] = operation
        if operation.region is not None:
            operation.region.operations.append(operation)

    def _within_reach(self, tensor: Tensor) -> Tensor:
        """Return a tensor, or its stand-in in the region being built."""
        owner, here = tensor.op.region, self._scopes.region
        if owner is None or here is None or here.is_within(owner):
            return tensor
        for region in here.enclosing():
            substitute = None if region.stand_in is None else region.stand_in(tensor)
            if substitute is not None:
                return self._within_reach(substitute)
        return tensor

    def check_accessible(self, used: Tensor | Operation, user: str) -> None:
        """Refuse a tensor of another graph (ValueError) or a leaked one.

        A leaked tensor, of a region that is not being built, raises
        InaccessibleTensorError.
        """
        maker = used.op if isinstance(used, Tensor) else used
        if used.graph is not self:
            raise codes.OTHER_GRAPH.value_error(
                f"{user}: the {_label(used)} belongs to another graph than the current "
                f"one; it was made at {maker.site}. Build both in one graph, or "
                "evaluate it first and pass the value"
            )
        owner, here = maker.region, self._scopes.region
        if owner is None or (here is not None and here.is_within(owner)):
            return
        raise coded(
            InaccessibleTensorError,
            f"{user}: the {_label(used)} was made inside the {owner.kind} "
            f"{owner.name!r} at {maker.site} and is used outside of it at "
            f"{user_site()}; return it from that function and use the value that "
            "comes back",
            code=codes.LEAKED_TENSOR,
        )

    def _operation_name(self, name: str) -> str:
        """Return the unique name; a name scope with its slash is used unchanged."""
        if name.endswith("/") and name[:-1] not in self._by_name:
            self._names_in_use.setdefault(name[:-1].lower(), 1)
            return name[:-1]
        return self.unique_name(name.rstrip("/"))

    def unique_name(self, name: str, mark_as_used: bool = True) -> str:
        """Return `name` within the current name scope, made unique by a suffix."""
        instance_of(str, "Graph.unique_name: name", "a string", name)
        full = self._scopes.name + name
        if not _VALID_NAME.match(full):
            raise ValueError(f"{full!r} is not a valid operation name")
        unique, suffix = full, self._names_in_use.get(full.lower(), 0)
        while unique.lower() in self._names_in_use:
            suffix = max(suffix, 1)
            unique = f"{full}_{suffix}"
            suffix += 1
        if mark_as_used:
            self._names_in_use[full.lower()] = suffix
            self._names_in_use.setdefault(unique.lower(), 1)
        return unique

    def finalize(self) -> None:
        """Refuse every later change."""
        self._finalized = True

    def unfinalize(self) -> None:
        """Allow changes again."""
        self._finalized = False

    @property
    def finalized(self) -> bool:
        """Whether the graph refuses changes."""
        return self._finalized

    # -- scopes ----------------------------------------------------------------

    @property
    def region(self) -> Region | None:
        """The region that operations are being added to."""
        return self._scopes.region

    def as_default(self) -> contextlib.AbstractContextManager[Graph]:
        """Make this the default graph within a ``with`` block."""
        return use_graph(self)

    @contextlib.contextmanager
    def name_scope(self, name: str | None) -> Iterator[str]:
        """Prefix the names of operations; a trailing slash re-enters a scope."""
        check_name("tf.name_scope", name)
        if not name:
            full = ""
        elif name.endswith("/"):
            full = name
        else:
            full = self.unique_name(name) + "/"
        with self._scopes.changed(name=full):
            yield full

    def get_name_scope(self) -> str:
        """Return the current name scope without its slash."""
        return self._scopes.name[:-1]

    @contextlib.contextmanager
    def device(
        self, device_name_or_function: str | DeviceFunction | None
    ) -> Iterator[None]:
        """Place operations on a device; nested scopes merge, None clears them."""
        given = device_name_or_function
        outer = self._scopes.devices
        if given is None:
            devices: tuple[DeviceName | DeviceFunction, ...] = ()
        elif callable(given):
            devices = (*outer, given)
        else:
            devices = (*outer, DeviceName.parse(str(given)))
        with self._scopes.changed(devices=devices):
            yield

    @property
    def current_device(self) -> DeviceName:
        """The device requested by the active device scopes."""
        unplaced = Unplaced()
        place(unplaced, self._scopes.devices)
        return unplaced.placement

    @contextlib.contextmanager
    def control_dependencies(
        self, control_inputs: Sequence[Any] | None
    ) -> Iterator[None]:
        """Make operations wait for others; None clears the control inputs."""
        if control_inputs is None:
            with self._scopes.changed(control=()):
                yield
            return
        if isinstance(control_inputs, (Tensor, Operation, str)):
            raise codes.WRONG_ARGUMENT_TYPE.type_error(
                "control_dependencies: control_inputs must be a list of operations and "
                f"tensors, got {control_inputs!r}; write [it]"
            )
        awaited: dict[Operation, None] = dict.fromkeys(self._scopes.control)
        for value in listed("control_dependencies: control_inputs", control_inputs):
            element = self.as_graph_element(value)
            awaited[element.op if isinstance(element, Tensor) else element] = None
        with self._scopes.changed(control=tuple(awaited)):
            yield

    @contextlib.contextmanager
    def colocate_with(self, op: Any, ignore_existing: bool = False) -> Iterator[None]:
        """Place operations on the device of another operation."""
        element = self.as_graph_element(op)
        operation = element.op if isinstance(element, Tensor) else element
        with self._scopes.changed(devices=(operation.placement,)):
            yield

    @contextlib.contextmanager
    def in_region(self, region: Region) -> Iterator[Region]:
        """Add operations to `region`.

        It raises ValueError if programs would be nested more than `MAX_DEPTH` deep.
        """
        if 1 + len(list(region.enclosing())) > MAX_DEPTH:
            raise codes.LIMIT_EXCEEDED.value_error(
                f"the {region.kind} at {region.site} is nested too deep: branches, "
                f"loops and computations can be up to {MAX_DEPTH - 1} deep; use "
                "tf.while_loop, or select values with tf.where"
            )
        with self._scopes.changed(region=region, control=()):
            yield region

    @contextlib.contextmanager
    def in_part(
        self, region: Region, label: str, variables: str | None = None
    ) -> Iterator[Region]:
        """Add operations to a part of an operation, in its name scope.

        Variables made there are named after the enclosing scope, or in `variables`.
        """
        region.variables = self._scopes.name if variables is None else variables
        with self.in_region(region), self.name_scope(label) as region.scope:
            yield region

    @contextlib.contextmanager
    def outside_regions(self) -> Iterator[None]:
        """Add operations to the graph itself, whatever region is open.

        Variables are created so: they outlive the computation that creates them.
        """
        region = self._scopes.region
        if region is None:
            yield
            return
        with self._scopes.changed(
            name=region.outside(self._scopes.name),
            region=None,
            control=(),
            devices=(),
            host_label=None,
            tower=None,
        ):
            yield

    @contextlib.contextmanager
    def on_host(self, label: str) -> Iterator[None]:
        """Mark operations as parts of a host call of the replicated computation."""
        with self._scopes.changed(host_label=label, devices=()):
            yield

    def scopes_in_force(self) -> dict[str, Any]:
        """Return the scopes of this thread, for `in_scopes` of another."""
        return dict(vars(self._scopes))

    @contextlib.contextmanager
    def in_scopes(self, scopes: Mapping[str, Any]) -> Iterator[None]:
        """Put the scopes of another thread in force."""
        with self._scopes.changed(**scopes):
            yield

    @contextlib.contextmanager
    def in_tower(self, placement: TowerPlacement | None) -> Iterator[None]:
        """Mark operations as those of a tower; None for no tower."""
        with self._scopes.changed(tower=placement):
            yield

    @property
    def host_label(self) -> str | None:
        """The label of the host call being built, None outside of one."""
        return self._scopes.host_label

    @property
    def variable_scope(self) -> Any:
        """The state of `get_variable` in this thread, None at first."""
        return self._scopes.variable_scope

    @variable_scope.setter
    def variable_scope(self, scope: Any) -> None:
        self._scopes.variable_scope = scope

    # -- collections -----------------------------------------------------------

    def add_to_collection(self, name: str, value: Any) -> None:
        """Add a value to the collection of that name."""
        self.get_collection_ref(name).append(value)

    def add_to_collections(self, names: Sequence[str], value: Any) -> None:
        """Add a value to several collections."""
        several = [names] if isinstance(names, str) else names
        argument = "Graph.add_to_collections: names"
        for name in dict.fromkeys(map(_collection, listed(argument, several))):
            self.add_to_collection(name, value)

    def get_collection(self, name: str, scope: str | None = None) -> list[Any]:
        """Return the values of a collection, optionally only those below `scope`."""
        values = self._collections.get(_collection(name), [])
        if scope is None:
            return list(values)
        if not isinstance(scope, str | re.Pattern):
            raise wrong_type("Graph.get_collection: scope", "a string or None", scope)
        pattern = re.compile(scope)
        return [v for v in values if hasattr(v, "name") and pattern.match(v.name)]

    def get_all_collection_keys(self) -> list[str]:
        """Return the names of the collections that hold something."""
        return [name for name, values in self._collections.items() if values]

    def get_collection_ref(self, name: str) -> list[Any]:
        """Return the list itself that holds a collection."""
        return self._collections.setdefault(_collection(name), [])

    def __repr__(self) -> str:
        return f"<tf.Graph #{self.serial} with {self.version} operations>"


def _collection(name: Any) -> Any:
    """Return the name of a collection, which may be any key of a dict."""
    if not isinstance(name, Hashable):
        raise wrong_type("Graph: the name of a collection", "a string", name)
    return name


def with_parts(fetches: Any) -> Any:
    """Replace fetches that have several parts by the list of their parts."""

    def parts(fetch: Any) -> Any:
        several = getattr(fetch, "_as_fetches", None)
        return several() if callable(several) else fetch

    return nest.map_structure(parts, fetches)


def _label(used: Tensor | Operation) -> str:
    """Return the description of an object for a message."""
    if isinstance(used, Tensor):
        return f"tensor {used.describe()}"
    return f"operation {used.name!r} ({used.type})"


class _Scopes(threading.local):
    """The scopes in force for the thread that builds."""

    def __init__(self) -> None:
        self.name = ""
        self.devices: tuple[DeviceName | DeviceFunction, ...] = ()
        self.control: tuple[Operation, ...] = ()
        self.region: Region | None = None
        self.host_label: str | None = None
        self.tower: TowerPlacement | None = None
        self.variable_scope: Any = None

    def labels(self) -> dict[str, Any]:
        labels: dict[str, Any] = {} if self.tower is None else {LABEL: self.tower}
        replicated = self.region.replicated if self.region is not None else None
        if replicated is None:
            return labels
        labels["_tpu_replicate"] = replicated.name
        if self.host_label is not None:
            labels["_xla_outside_compilation"] = self.host_label
        return labels

    @contextlib.contextmanager
    def changed(self, **scopes: Any) -> Iterator[None]:
        before = {name: getattr(self, name) for name in scopes}
        vars(self).update(scopes)
        try:
            yield
        finally:
            vars(self).update(before)
