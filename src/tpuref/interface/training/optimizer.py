"""Define the base of all optimizers: gradients, slots, and updates of variables."""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base import nest
from tpuref.base.arguments import check_name, hashable, listed, name_or, wrong_type
from tpuref.base.dtypes import bfloat16, float16, float32, float64
from tpuref.base.errors import coded
from tpuref.engine.differentiation.gradients import gradients
from tpuref.engine.differentiation.indexed_slices import IndexedSlices
from tpuref.engine.graph.aggregation import VariableAggregation
from tpuref.engine.graph.build import apply
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.default import executing_eagerly, get_default_graph, init_scope
from tpuref.engine.graph.graph import GraphKeys
from tpuref.engine.graph.tensor import Operation, Tensor
from tpuref.engine.graph.variables import Variable, trainable_variables
from tpuref.interface.functions.dependencies import group
from tpuref.interface.functions.dependencies import tuple as together
from tpuref.interface.functions.initializers import Zeros
from tpuref.interface.functions.scopes import control_dependencies
from tpuref.interface.functions.segments import unique, unsorted_segment_sum
from tpuref.interface.functions.variable_rows import scatter_add
from tpuref.interface.gradients.tape import GradientTape
from tpuref.interface.losses.reduction import Reduction
from tpuref.interface.training.distribution import (
    Strategy,
    beside,
    current_strategy,
    current_tower,
    whole,
)
from tpuref.interface.training.slots import create_slot
from tpuref.names.members import explain_missing_members

GradsAndVars = Sequence[tuple[Any, Any]]


@explain_missing_members("tf.train.Optimizer")
class Optimizer:
    """The base of optimizers, which change variables to reduce a loss.

    A subclass defines the update of one variable: ``_resource_apply_dense(grad, var)``
    and ``_resource_apply_sparse(values, var, indices)``, or ``_apply_dense(grad, var)``
    and ``_apply_sparse(slices, var)``.  If there are both kinds, the most derived class
    wins.  The rows of sparse gradients have distinct indices.  A subclass may also
    override ``_create_slots(var_list)``, ``_prepare()``,
    ``_finish(update_ops, name_scope)`` and `apply_gradients`.  `use_locking` is stored
    without effect; updates of tpuref never overlap.  `name` is the name of the
    operations, and of the slots.  It raises ValueError if `name` is empty.

    Examples
    --------
    >>> class SignDescent(tf.train.Optimizer):
    ...     def __init__(self, step):
    ...         super().__init__(use_locking=False, name="SignDescent")
    ...         self.step = step
    ...     def _resource_apply_dense(self, grad, var):
    ...         return var.assign_sub(self.step * tf.sign(grad)).op
    >>> w = tf.get_variable("w", initializer=[1.0, -2.0])
    >>> train_op = SignDescent(0.5).minimize(tf.reduce_sum(w * w))
    >>> with tf.Session() as sess:
    ...     sess.run(tf.global_variables_initializer())
    ...     sess.run(train_op)
    ...     sess.run(w).tolist()
    [0.5, -1.5]
    """

    GATE_NONE = 0
    GATE_OP = 1
    GATE_GRAPH = 2

    def __init__(self, use_locking: bool, name: str) -> None:
        check_name(f"{type(self).__name__}", name)
        if not name:
            raise ValueError("tf.train.Optimizer: name must not be empty")
        self._use_locking = use_locking
        self._name = name
        self._slots: dict[str, dict[Any, Any]] = {}
        self._non_slot_dict: dict[tuple[str, Any], Any] = {}

    def get_name(self) -> str:
        """Return the name of the optimizer."""
        return self._name

    # -- minimizing ----------------------------------------------------------------

    def minimize(
        self,
        loss: Any,
        global_step: Any = None,
        var_list: Any = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: int | None = None,
        colocate_gradients_with_ops: bool = False,
        name: str | None = None,
        grad_loss: Any = None,
    ) -> Operation:
        """Return an operation that changes variables to reduce a loss.

        In eager mode, update them at once and return None.  `loss` is a tensor; in
        eager mode a function without parameters that returns one.  `global_step` is a
        variable that is incremented by each step.  It raises ValueError if the loss
        depends on none of the variables.  Other parameters are those of
        `compute_gradients`.
        """
        pairs = self.compute_gradients(
            loss,
            var_list=var_list,
            gate_gradients=gate_gradients,
            aggregation_method=aggregation_method,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
            grad_loss=grad_loss,
        )
        if all(gradient is None for gradient, _ in pairs):
            names = ", ".join(str(getattr(v, "name", v)) for _, v in pairs)
            raise codes.NO_GRADIENT.value_error(
                f"{self._method('minimize')}: the loss {loss!r} has no gradient for "
                f"any of the variables {names}; it must depend on them through "
                "operations that have gradients"
            )
        return self.apply_gradients(pairs, global_step=global_step, name=name)

    def compute_gradients(
        self,
        loss: Any,
        var_list: Any = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: int | None = None,
        colocate_gradients_with_ops: bool = False,
        grad_loss: Any = None,
    ) -> list[tuple[Any, Any]]:
        """Return a loss's pairs of gradient (tensor, slices or None) and variable.

        Other parameters are those of `tf.gradients`.  It raises ValueError without
        variables or for an element type that cannot be optimized, and in eager mode
        RuntimeError if the loss is not a function.

        Parameters
        ----------
        loss
            As for `minimize`.  In a tower of a strategy it is taken as a mean over the
            tower's part of the batch, and divided by the number of towers, unless the
            last loss of ``tf.losses`` was a sum.
        var_list
            The variables or tensors to differentiate by; by default the trainable
            variables of the graph, or those that the function reads.
        gate_gradients
            `GATE_GRAPH` computes all gradients before any is used.  `GATE_NONE` and
            `GATE_OP` have no effect: operations run in the order of their creation.
        grad_loss
            The gradient of the loss, by default 1.
        """
        if callable(loss):
            return self._gradients_of_function(loss, var_list, grad_loss)
        if executing_eagerly():
            raise codes.WRONG_MODE.runtime_error(
                f"{self._method('compute_gradients')}: in eager mode the loss must be "
                "a function without parameters, got a value; or use tf.GradientTape "
                "and apply_gradients"
            )
        if gate_gradients not in (self.GATE_NONE, self.GATE_OP, self.GATE_GRAPH):
            raise codes.INVALID_ARGUMENT.value_error(
                f"{self._method('compute_gradients')}: gate_gradients must be one of "
                f"Optimizer.GATE_NONE, GATE_OP and GATE_GRAPH, got {gate_gradients!r}"
            )
        loss = self._scale_loss(loss)
        self._assert_valid_dtypes([loss, *([] if grad_loss is None else [grad_loss])])
        targets = self._targets(
            trainable_variables() if var_list is None else nest.flatten(var_list)
        )
        grads = gradients(
            loss,
            targets,
            grad_ys=grad_loss,
            gate_gradients=gate_gradients == self.GATE_OP,
            aggregation_method=aggregation_method,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
        )
        if gate_gradients == self.GATE_GRAPH:
            grads = together(grads)
        self._assert_valid_dtypes(
            [v for g, v in zip(grads, targets, strict=True) if g is not None]
        )
        return list(zip(grads, targets, strict=True))

    def _gradients_of_function(
        self, loss: Callable[[], Any], var_list: Any, grad_loss: Any
    ) -> list[tuple[Any, Any]]:
        with GradientTape() as tape:
            if var_list is not None:
                tape.watch(var_list)
            value = self._scale_loss(loss())
        variables = tape.watched_variables() if var_list is None else var_list
        targets = self._targets(nest.flatten(variables))
        seeds = None if grad_loss is None else [grad_loss]
        return list(zip(tape.gradient(value, targets, seeds), targets, strict=True))

    def _targets(self, targets: Any) -> list[Any]:
        if not (known := list(targets)):
            raise codes.NO_GRADIENT.value_error(
                f"{self._method('compute_gradients')}: there are no variables to "
                "optimize; make some with tf.get_variable, or pass var_list"
            )
        for target in known:
            if not isinstance(target, (Variable, Tensor)):
                raise codes.INVALID_ARGUMENT.type_error(
                    f"{self._method('compute_gradients')}: var_list must contain "
                    f"variables, got {target!r}"
                )
        return known

    @staticmethod
    def _scale_loss(loss: Any) -> Any:
        """Return a tower's part of the mean of the loss over all towers."""
        strategy = current_strategy()
        summed = get_default_graph().last_loss_reduction == Reduction.SUM
        if strategy is None or strategy.num_replicas_in_sync == 1 or summed:
            return loss
        return loss * (1.0 / strategy.num_replicas_in_sync)

    def apply_gradients(
        self, grads_and_vars: Any, global_step: Any = None, name: str | None = None
    ) -> Operation:
        """Return an operation that changes variables by their gradients.

        In a tower of a distribution strategy, the gradients of all towers are summed,
        sparse ones as dense tensors, and all components of the variables get the same
        update.  `grads_and_vars` are pairs of gradient and variable, as
        `compute_gradients` returns them; a variable whose gradient is None does not
        change.  `global_step` is a variable that is incremented afterwards.  `name` is
        the name of the operation, by default that of the optimizer.  It raises
        TypeError if a gradient does not convert to a tensor; ValueError if there are no
        pairs, or all gradients are None; and RuntimeError in cross-tower context of a
        strategy.
        """
        pairs = self._pairs(grads_and_vars)
        tower = current_tower()
        applied: Operation
        if current_strategy() is None:
            applied = self._apply(pairs, global_step, name)
            return applied
        if tower is None:
            raise codes.WRONG_CONTEXT.runtime_error(
                f"{self._method('apply_gradients')} must be used in a tower; call it "
                "in a function that strategy.call_for_each_tower runs"
            )
        dense = [(convert_to_tensor(gradient), v) for gradient, v in pairs]
        applied = tower.merge_call(self._distributed_apply, dense, global_step, name)
        return applied

    def _pairs(self, grads_and_vars: Any) -> list[tuple[Any, Any]]:
        """Return the pairs that have a gradient, a tensor or slices."""
        pairs = pairs_of(self._method("apply_gradients"), grads_and_vars)
        known = [(_as_gradient(g), v) for g, v in pairs if g is not None]
        if not known:
            names = ", ".join(variable.name for _, variable in pairs)
            fault = f"no gradient for any of the variables {names}"
            raise codes.NO_GRADIENT.value_error(
                f"{self._method('apply_gradients')}: there is "
                f"{fault if pairs else 'no variable to change'}"
            )
        for _, variable in known:
            if not isinstance(variable, Variable):
                raise coded(
                    NotImplementedError,
                    f"{self._method('apply_gradients')}: only variables can be "
                    f"changed, got {variable!r}",
                    code=codes.INVALID_ARGUMENT,
                )
        return known

    def _apply(
        self, pairs: list[tuple[Any, Any]], global_step: Any, name: str | None
    ) -> Any:
        with _outermost_scope():
            self._create_slots([variable for _, variable in pairs])
        with get_default_graph().name_scope(name_or(name, self._name)) as scope:
            self._prepare()
            updates = [self._update_beside(g, v) for g, v in pairs]
            if global_step is None:
                return _train_op(self._finish(updates, scope))
            if not hasattr(global_step, "assign_add"):
                argument = f"{self._method('apply_gradients')}: global_step"
                raise wrong_type(argument, "a variable", global_step)
            with _wait_for([self._finish(updates, "update")]):
                return _train_op(global_step.assign_add(1, name=scope))

    def _distributed_apply(
        self,
        distribution: Strategy,
        grads_and_vars: GradsAndVars,
        global_step: Any = None,
        name: str | None = None,
    ) -> Any:
        """Update mirrored variables across towers, by the sums of gradients."""
        variables = [variable for _, variable in grads_and_vars]
        sums = distribution.batch_reduce(VariableAggregation.SUM, grads_and_vars)
        with _outermost_scope():
            self._create_slots(variables)

        def update(variable: Any, gradient: Any) -> Any:
            return self._update_op(convert_to_tensor(gradient), variable)

        def finish(updates: Any) -> Any:
            return self._finish(updates, "update")

        with get_default_graph().name_scope(name_or(name, self._name)) as scope:
            self._prepare()
            updates = [
                operation
                for gradient, variable in zip(sums, variables, strict=True)
                for operation in distribution.unwrap(
                    distribution.update(variable, update, gradient)
                )
            ]
            if get_default_graph().traced and global_step is not None:
                # A traced function runs all its operations in this order; control
                # dependencies would only split the step into stages.
                return distribution.unwrap(distribution.update(global_step, _grow))[0]
            devices = distribution.non_slot_devices(variables)
            finished = distribution.update_non_slot(devices, finish, updates)
            if global_step is None:
                return _train_op(distribution.group(finished, name=scope))
            with _wait_for(distribution.unwrap(finished)):
                grown = distribution.update(global_step, _grow)
            return _train_op(distribution.group(grown, name=scope))

    # -- one variable --------------------------------------------------------------

    def _update_beside(self, gradient: Any, variable: Any) -> Any:
        graph = get_default_graph()
        if executing_eagerly() or graph.traced:
            return self._update_op(gradient, variable)
        with graph.name_scope(f"update_{variable.op.name}"):
            if variable.device:
                with graph.colocate_with(variable):
                    return self._update_op(gradient, variable)
            return self._update_op(gradient, variable)

    def _update_op(self, gradient: Any, variable: Any) -> Any:
        sparse = isinstance(gradient, IndexedSlices)
        if sparse and variable.constraint is not None:
            raise codes.INVALID_ARGUMENT.runtime_error(
                f"{self._method('apply_gradients')}: the variable {variable.name!r} "
                "has a constraint, which cannot be applied after a change of some of "
                "its rows; use a dense gradient: tf.convert_to_tensor(gradient)"
            )
        update = self._sparse_op if sparse else self._dense_op
        changed = update(gradient, variable)
        if variable.constraint is None:
            return changed
        with _wait_for([changed]):
            return variable.assign(
                variable.constraint(variable.value()), read_value=False
            )

    def _dense_op(self, gradient: Tensor, variable: Any) -> Any:
        if self._prefers(["_resource_apply_dense"], ["_apply_dense"]):
            return self._resource_apply_dense(gradient, variable)
        return self._apply_dense(gradient, variable)

    def _sparse_op(self, gradient: IndexedSlices, variable: Any) -> Any:
        resource = "_resource_apply_sparse", "_resource_apply_sparse_duplicate_indices"
        plain = "_apply_sparse", "_apply_sparse_duplicate_indices"
        if self._prefers(resource, plain):
            return self._resource_apply_sparse_duplicate_indices(
                gradient.values, variable, gradient.indices
            )
        return self._apply_sparse_duplicate_indices(gradient, variable)

    def _prefers(self, these: Sequence[str], those: Sequence[str]) -> bool:
        """Return whether the most derived class with such methods has `these`."""
        for kind in type(self).__mro__:
            if any(name in vars(kind) for name in these):
                return True
            if any(name in vars(kind) for name in those):
                return False
        return True

    # -- methods for subclasses -----------------------------------------------------

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        """Create the slots of variables, and the non-slot variables."""

    def _prepare(self) -> None:
        """Create the tensors that all updates share, such as the learning rate."""

    def _apply_dense(self, grad: Tensor, var: Any) -> Any:
        """Return an operation that updates a variable by its gradient."""
        raise self._lacks("_apply_dense")

    def _resource_apply_dense(self, grad: Tensor, handle: Any) -> Any:
        """Return an operation that updates a variable by its gradient."""
        raise self._lacks("_resource_apply_dense")

    def _apply_sparse(self, grad: IndexedSlices, var: Any) -> Any:
        """Return an operation that updates rows with distinct indices."""
        raise self._lacks("_apply_sparse")

    def _resource_apply_sparse(self, grad: Tensor, handle: Any, indices: Tensor) -> Any:
        """Return an operation that updates rows with distinct indices."""
        raise self._lacks("_resource_apply_sparse")

    def _apply_sparse_duplicate_indices(self, grad: IndexedSlices, var: Any) -> Any:
        """Sum rows with equal indices, and call `_apply_sparse`."""
        values, indices = _sum_duplicates(grad.values, grad.indices)
        return self._apply_sparse(IndexedSlices(values, indices, grad.dense_shape), var)

    def _resource_apply_sparse_duplicate_indices(
        self, grad: Tensor, handle: Any, indices: Tensor
    ) -> Any:
        """Sum rows with equal indices, and call `_resource_apply_sparse`."""
        values, distinct = _sum_duplicates(grad, indices)
        return self._resource_apply_sparse(values, handle, distinct)

    def _resource_scatter_add(self, x: Any, i: Any, v: Any) -> Any:
        """Add rows to a variable, and return its value."""
        return scatter_add(x, i, v)

    def _finish(self, update_ops: Sequence[Any], name_scope: str) -> Any:
        """Return one operation that waits for all updates."""
        return group(*update_ops, name=name_scope)

    def _lacks(self, method: str) -> NotImplementedError:
        return coded(
            NotImplementedError,
            f"{type(self).__name__} lacks {method}; define it in the subclass of "
            "tf.train.Optimizer, to apply gradients of this kind",
            code=codes.OPTIMIZER_LACKS_UPDATE,
        )

    @staticmethod
    def _call_if_callable(param: Any) -> Any:
        """Return a hyperparameter, or the result of one that is a function."""
        return param() if callable(param) else param

    def _valid_dtypes(self) -> set[Any]:
        """Return the dtypes of losses and variables that can be optimized."""
        return {float16, bfloat16, float32, float64}

    def _assert_valid_dtypes(self, tensors: Sequence[Any]) -> None:
        """Raise an error for tensors and variables of another dtype."""
        valid = self._valid_dtypes()
        for tensor in tensors:
            dtype = convert_to_tensor(tensor).dtype
            if dtype not in valid:
                names = ", ".join(sorted(dtype.name for dtype in valid))
                raise codes.INVALID_ARGUMENT.value_error(
                    f"{self._method('compute_gradients')}: {tensor!r} has the element "
                    f"type {dtype.name}; one of {names} can be optimized"
                )

    def _method(self, method: str) -> str:
        return f"{type(self).__name__}.{method}"

    # -- slots ---------------------------------------------------------------------

    def get_slot_names(self) -> list[str]:
        """Return the names of the slots."""
        return sorted(self._slots)

    def get_slot(self, var: Any, name: str) -> Any:
        """Return the slot of a variable, or None."""
        function = self._method("get_slot")
        key = hashable(f"{function}: var", "a variable", whole(var))
        slots = self._slots.get(hashable(f"{function}: name", "a string", name), {})
        return slots.get(key)

    def variables(self) -> list[Any]:
        """Return the optimizer's variables, sorted by name."""
        own = [v for (_, graph), v in self._non_slot_dict.items() if _is_here(graph)]
        slots = [
            slot
            for named in self._slots.values()
            for primary, slot in named.items()
            if executing_eagerly() or primary.graph is get_default_graph()
        ]
        return sorted(own + slots, key=lambda variable: str(variable.name))

    def _slot_dict(self, slot_name: str) -> dict[Any, Any]:
        """Return the slots of one name, by variable."""
        return self._slots.setdefault(slot_name, {})

    def _get_or_make_slot(
        self, var: Any, val: Any, slot_name: str, op_name: str
    ) -> Any:
        """Return a slot, created with an initial value."""
        slots = self._slot_dict(slot_name)
        if whole(var) not in slots:
            slots[whole(var)] = create_slot(var, val, op_name)
        return slots[whole(var)]

    def _get_or_make_slot_with_initializer(
        self,
        var: Any,
        initializer: Any,
        shape: Any,
        dtype: Any,
        slot_name: str,
        op_name: str,
    ) -> Any:
        """Return a slot, created with an initializer."""
        slots = self._slot_dict(slot_name)
        if whole(var) not in slots:
            slots[whole(var)] = create_slot(var, initializer, op_name, shape, dtype)
        return slots[whole(var)]

    def _zeros_slot(self, var: Any, slot_name: str, op_name: str) -> Any:
        """Return a slot, created with zeros."""
        return self._get_or_make_slot_with_initializer(
            var, Zeros(), var.shape, var.dtype, slot_name, op_name
        )

    # -- non-slot variables ----------------------------------------------------------

    def _create_non_slot_variable(
        self, initial_value: Any, name: str, colocate_with: Any
    ) -> Any:
        """Return a non-slot variable, created once for a graph."""
        key = name, _here()
        if key not in self._non_slot_dict:
            with beside(colocate_with):
                self._non_slot_dict[key] = Variable(
                    initial_value, name=name, trainable=False
                )
        return self._non_slot_dict[key]

    def _get_non_slot_variable(self, name: str, graph: Any = None) -> Any:
        """Return a non-slot variable, or None."""
        return self._non_slot_dict.get((name, graph or _here()))

    def _trackable_children(self) -> dict[str, Any]:
        """Return the non-slot variables, which a `tf.train.Checkpoint` saves."""
        own = self._non_slot_dict.items()
        return {name: v for (name, graph), v in own if _is_here(graph)}

    def _slots_beside(self) -> Iterator[tuple[str, Any, Any]]:
        """Yield (slot name, primary variable, slot variable)."""
        for name, slots in self._slots.items():
            for primary, slot in slots.items():
                yield name, primary, slot


@contextlib.contextmanager
def _outermost_scope() -> Iterator[None]:
    """Create variables that outlive the current computation or branch."""
    graph = get_default_graph()
    apart = init_scope() if graph.traced else graph.outside_regions()
    with apart, graph.control_dependencies(None):
        yield


def _wait_for(operations: Sequence[Any]) -> contextlib.AbstractContextManager[Any]:
    """Make the operations of a block depend on others, except in eager mode."""
    if executing_eagerly():
        return contextlib.nullcontext()
    return control_dependencies([op for op in operations if op is not None])


def _grow(step: Any) -> Any:
    return step.assign_add(1)


def _here() -> Any:
    """Return the graph of new variables, or None in eager mode."""
    graph = get_default_graph()
    return None if executing_eagerly() or graph.traced else graph


def _is_here(graph: Any) -> bool:
    return graph is _here()


def _train_op(done: Any) -> Any:
    """Return the training operation, and add it to its collection."""
    if executing_eagerly():
        return done
    operation = done.op if isinstance(done, Tensor) else done
    graph = get_default_graph()
    if operation not in graph.get_collection_ref(GraphKeys.TRAIN_OP):
        graph.add_to_collection(GraphKeys.TRAIN_OP, operation)
    return operation


def pairs_of(function: str, grads_and_vars: Any) -> list[tuple[Any, Any]]:
    """Return a list of (gradient, variable) pairs."""
    argument = f"{function}: grads_and_vars"
    pairs = listed(argument, grads_and_vars, "a list of pairs")
    for pair in pairs:
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise wrong_type(f"{argument}: each entry", "a pair", pair)
    return [(gradient, variable) for gradient, variable in pairs]


def _as_gradient(value: Any) -> Any:
    if isinstance(value, IndexedSlices):
        return value
    try:
        return convert_to_tensor(value)
    except TypeError as error:
        raise codes.INVALID_ARGUMENT.type_error(
            f"apply_gradients: a gradient must be a tensor, tf.IndexedSlices or None, "
            f"got {value!r} ({error})"
        ) from None


def _sum_duplicates(values: Tensor, indices: Tensor) -> tuple[Tensor, Tensor]:
    """Return rows with distinct indices; rows with equal indices are summed."""
    distinct, places = unique(indices)
    count = apply("Size", distinct, out_type="int32")
    return unsorted_segment_sum(values, places, count), distinct
