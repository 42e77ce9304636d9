"""Compute moving averages of variables and tensors."""

from collections.abc import Sequence
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.arguments import hashable, listed, wrong_type
from tpuref.base.dtypes import bfloat16, float16, float32, float64
from tpuref.engine.graph.aggregation import VariableAggregation
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.default import executing_eagerly, get_default_graph
from tpuref.engine.graph.graph import GraphKeys
from tpuref.engine.graph.tensor import Tensor
from tpuref.engine.graph.variables import (
    Variable,
    global_variables,
    trainable_variables,
)
from tpuref.interface.functions.arithmetic import minimum, pow
from tpuref.interface.functions.control_flow import cond
from tpuref.interface.functions.conversion import cast
from tpuref.interface.functions.dependencies import group
from tpuref.interface.functions.initializers import Zeros
from tpuref.interface.training.distribution import Strategy, current_tower, whole
from tpuref.interface.training.slots import create_slot

_NAME = "tf.train.ExponentialMovingAverage"


def assign_moving_average(
    variable: Any,
    value: Any,
    decay: Any,
    zero_debias: bool = False,
    name: str | None = None,
) -> Any:
    """Set a variable to ``decay * variable + (1 - decay) * value``.

    `value` is the value to average, of the variable's shape and dtype.  In the towers
    of a strategy, the mean of the towers' values is used.  `decay` is the weight of the
    previous average.  `zero_debias` says whether to correct the bias of the initial
    zeros, with the slots ``biased`` and ``local_step`` of the variable.

    Examples
    --------
    >>> from tpuref.interface.training.moving_averages import assign_moving_average
    >>> average = tf.get_variable("average", initializer=0.0)
    >>> moved = assign_moving_average(average, 10.0, 0.75)
    >>> with tf.Session() as sess:
    ...     sess.run(average.initializer)
    ...     [float(sess.run(moved)) for _ in range(2)]
    [2.5, 4.375]
    """
    change = _update_debiased if zero_debias else _update_average
    if not hasattr(variable, "assign_sub"):
        raise wrong_type("assign_moving_average: variable", "a variable", variable)
    value = convert_to_tensor(value, dtype_hint=variable.dtype)
    tower = current_tower()
    if tower is None:
        return change(variable, value, decay, name)

    def merged(strategy: Strategy, variable: Any, value: Any) -> Any:
        (mean,) = strategy.batch_reduce(VariableAggregation.MEAN, [(value, variable)])
        return strategy.update(variable, change, mean, decay, name)

    return tower.merge_call(merged, variable, value)


def _update_average(variable: Any, value: Any, decay: Any, name: str | None) -> Any:
    gone = cast(1.0 - convert_to_tensor(decay, variable.dtype), variable.dtype)
    return variable.assign_sub((variable.value() - value) * gone, name=name)


def _update_debiased(variable: Any, value: Any, decay: Any, name: str | None) -> Any:
    """Update an average that started with zeros, and divide by the weights so far."""
    decay = convert_to_tensor(decay, variable.dtype)
    graph = get_default_graph()
    with graph.outside_regions(), graph.control_dependencies(None):
        dtype = variable.dtype
        biased = create_slot(variable, Zeros(), "biased", variable.shape, dtype)
        steps = create_slot(variable, Zeros(), "local_step", [], dtype)
    moved = _update_average(biased, value, decay, None)
    return variable.assign(moved / (1.0 - pow(decay, steps.assign_add(1.0))), name=name)


class ExponentialMovingAverage:
    """Maintains moving averages of variables and tensors, in variables of their shape.

    `decay` is the weight of the previous average in an update, such as 0.999.
    `num_updates` is the number of updates so far.  The weight is then at most ``(1 +
    num_updates) / (10 + num_updates)``.  `zero_debias` says whether to correct averages
    of tensors for the bias of the initial zeros.  `name` is the suffix of the
    variables' names.

    Examples
    --------
    >>> w = tf.get_variable("averaged", initializer=0.0)
    >>> ema = tf.train.ExponentialMovingAverage(0.75)
    >>> with tf.control_dependencies([w.assign(8.0)]):
    ...     averaged = ema.apply([w])
    >>> with tf.Session() as sess:
    ...     sess.run(tf.global_variables_initializer())
    ...     sess.run(averaged)
    ...     ema.average(w).name, float(sess.run(ema.average(w)))
    ('averaged/ExponentialMovingAverage:0', 2.0)
    """

    def __init__(
        self,
        decay: Any,
        num_updates: Any = None,
        zero_debias: bool = False,
        name: str = "ExponentialMovingAverage",
    ) -> None:
        self._decay = decay
        self._num_updates = num_updates
        self._zero_debias = zero_debias
        self.name = name
        self._averages: dict[Any, Any] = {}

    def apply(self, var_list: Sequence[Any] | None = None) -> Any:
        """Return an operation that updates the averages, creating those that are new.

        The average of a variable starts with the variable's value, the average of a
        tensor with zeros.  By default the averages are those of the trainable
        variables.  It raises TypeError if an entry does not contain floating-point
        numbers.
        """
        chosen = (
            trainable_variables()
            if var_list is None
            else listed(f"{_NAME}.apply: var_list", var_list)
        )
        graph = get_default_graph()
        with graph.outside_regions(), graph.control_dependencies(None):
            for averaged in chosen:
                self._make(averaged)
        with graph.name_scope(self.name) as scope:
            decay = self._effective_decay()
            updates = [
                assign_moving_average(
                    self.average(averaged),
                    averaged,
                    cast(decay, averaged.dtype),
                    self._zero_debias and not isinstance(averaged, Variable),
                )
                for averaged in chosen
            ]
            return group(*updates, name=scope)

    def _make(self, averaged: Any) -> None:
        key = self._key("apply", averaged)
        if averaged.dtype not in (float16, bfloat16, float32, float64):
            raise codes.INVALID_ARGUMENT.type_error(
                f"ExponentialMovingAverage.apply: {averaged!r} must contain "
                f"floating-point numbers, got {averaged.dtype.name}"
            )
        if key in self._averages:
            return
        if isinstance(key, Variable):
            average = create_slot(key, _current_or_initial_value(key), self.name)
            get_default_graph().add_to_collection(
                GraphKeys.MOVING_AVERAGE_VARIABLES, key
            )
        else:
            average = create_slot(key, Zeros(), self.name, key.shape, key.dtype)
        self._averages[key] = average

    def _effective_decay(self) -> Tensor:
        decay = convert_to_tensor(self._decay, name="decay")
        if self._num_updates is None:
            return decay
        updates = cast(self._num_updates, decay.dtype)
        return minimum(decay, (1.0 + updates) / (10.0 + updates))

    def average(self, var: Any) -> Any:
        """Return the variable with the average of `var`, or None."""
        return self._averages.get(self._key("average", var))

    def _key(self, method: str, var: Any) -> Any:
        if not hasattr(var, "dtype") or not hasattr(var, "name"):
            raise wrong_type(f"{_NAME}.{method}: var", "a variable or tensor", var)
        return hashable(f"{_NAME}.{method}: var", "a variable or tensor", whole(var))

    def average_name(self, var: Any) -> str:
        """Return the name of the average of `var`, which may not exist yet.

        Examples
        --------
        >>> w = tf.get_variable("layer/w", [])
        >>> tf.train.ExponentialMovingAverage(0.9).average_name(w)
        'layer/w/ExponentialMovingAverage'
        """
        known = self.average(var)
        if known is not None:
            return str(known.name.partition(":")[0])
        return f"{var.name.partition(':')[0]}/{self.name}"

    def variables_to_restore(
        self, moving_avg_variables: Sequence[Any] | None = None
    ) -> dict[str, Any]:
        """Return a map from names in a checkpoint to the variables to restore.

        `moving_avg_variables` are the variables to restore from their averages, by
        default the trainable ones and those with averages.  All others are restored by
        their own names.

        Examples
        --------
        >>> with tf.Graph().as_default():
        ...     w = tf.get_variable("w", [])
        ...     b = tf.get_variable("b", [], trainable=False)
        ...     sorted(tf.train.ExponentialMovingAverage(0.9).variables_to_restore())
        ['b', 'w/ExponentialMovingAverage']
        """
        if moving_avg_variables is None:
            graph = get_default_graph()
            moving_avg_variables = trainable_variables() + graph.get_collection(
                GraphKeys.MOVING_AVERAGE_VARIABLES
            )
        averaged = {
            self.average_name(v): v
            for v in listed(
                f"{_NAME}.variables_to_restore: moving_avg_variables",
                moving_avg_variables,
            )
        }
        known = {v.name for v in averaged.values()}
        others = (v for v in global_variables() if v.name not in known)
        plain = {v.name.partition(":")[0]: v for v in others}
        return {**plain, **averaged}


def _current_or_initial_value(variable: Variable) -> Any:
    """Return the value of a variable, or its initial value if it is uninitialized."""
    if executing_eagerly():
        return variable.value()
    return cond(
        variable.is_initialized(),
        variable.read_value,
        lambda: convert_to_tensor(variable.initial_value),
    )
