"""Metrics that are objects with variables, as TensorFlow 2 has them.

In the scope of a strategy each replica counts for itself, and the result adds up what
all replicas counted.
"""

from typing import Any

from tpuref.base.arguments import name_or
from tpuref.base.dtypes import as_dtype, float32, int64
from tpuref.engine.graph.aggregation import VariableAggregation, VariableSynchronization
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.default import begin_eagerly, executing_eagerly
from tpuref.engine.graph.tensor import Tensor
from tpuref.engine.graph.variables import Variable
from tpuref.interface.functions.along_axis import argmax
from tpuref.interface.functions.arithmetic import div_no_nan
from tpuref.interface.functions.comparison import equal
from tpuref.interface.functions.conversion import cast
from tpuref.interface.functions.creation import ones_like, zeros
from tpuref.interface.functions.extents import size
from tpuref.interface.functions.reductions import reduce_sum
from tpuref.interface.functions.reshaping import reshape, squeeze
from tpuref.interface.functions.scopes import control_dependencies
from tpuref.names.members import explain_missing_members


@explain_missing_members("tf.keras.metrics.Metric")
class Metric:
    """The base of metrics, which accumulate values and return one result.

    A subclass makes variables with `add_weight`, changes them in ``update_state`` and
    reads them in ``result``.
    """

    def __init__(self, name: str | None = None, dtype: Any = None) -> None:
        begin_eagerly()
        self.name = name_or(name, type(self).__name__.lower())
        self.dtype = float32 if dtype is None else as_dtype(dtype)
        self.weights: list[Any] = []

    def add_weight(
        self, name: str, shape: Any = (), initializer: Any = "zeros", dtype: Any = None
    ) -> Any:
        """Return a variable with a component per replica; reading it sums them."""
        kind = self.dtype if dtype is None else as_dtype(dtype)
        variable = Variable(
            zeros(shape, kind) if initializer == "zeros" else initializer(shape, kind),
            trainable=False,
            name=f"{self.name}/{name}",
            synchronization=VariableSynchronization.ON_READ,
            aggregation=VariableAggregation.SUM,
        )
        self.weights.append(variable)
        return variable

    @property
    def variables(self) -> list[Any]:
        """The variables."""
        return list(self.weights)

    def update_state(self, *args: Any, **kwargs: Any) -> Any:
        """Accumulate values; in a graph, return the operation that does so."""
        raise NotImplementedError(f"{type(self).__name__} lacks update_state")

    def result(self) -> Tensor:
        """Return the result of all values so far."""
        raise NotImplementedError(f"{type(self).__name__} lacks result")

    def reset_state(self) -> None:
        """Set the variables to zero."""
        for variable in self.weights:
            variable.assign(0 * variable.read_value())

    def reset_states(self) -> None:
        """Set the variables to zero: the former name of `reset_state`."""
        self.reset_state()

    def __call__(self, *args: Any, **kwargs: Any) -> Tensor:
        """Accumulate values, and return the result so far."""
        update = self.update_state(*args, **kwargs)
        with control_dependencies([] if update is None else [update]):
            return self.result()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}>"


class Sum(Metric):
    """The sum of values.

    Examples
    --------
    >>> with tf.eager_execution():
    ...     total = tf.keras.metrics.Sum()
    ...     total.update_state([1.0, 3.0])
    ...     total.update_state(4.0, sample_weight=0.5)
    ...     float(total.result())
    6.0
    """

    def __init__(self, name: str = "sum", dtype: Any = None) -> None:
        super().__init__(name, dtype)
        self.total = self.add_weight("total")

    def update_state(self, values: Any, sample_weight: Any = None) -> Any:
        """Add values, each times its weight."""
        return self._add((self.total, self._sums(values, sample_weight)[0]))

    def result(self) -> Tensor:
        """Return the sum."""
        whole: Tensor = self.total.read_value()
        return whole

    def _add(self, *changes: tuple[Any, Tensor]) -> Any:
        """Add to variables; in a graph, return the last update, after the others."""
        done: list[Any] = []
        for variable, change in changes:
            with control_dependencies(done):
                done = [variable.assign_add(change)]
        return None if executing_eagerly() else done[0]

    def _sums(self, values: Any, weight: Any) -> tuple[Tensor, Tensor]:
        """Return the sums of the values times their weights, and of the weights."""
        tensor = cast(convert_to_tensor(values), self.dtype)
        if weight is None:
            return reduce_sum(tensor), cast(size(tensor), self.dtype)
        own = cast(convert_to_tensor(weight), self.dtype)
        lacking = (tensor.shape.rank or 0) - (own.shape.rank or 0)
        if own.shape.rank and lacking > 0:  # a weight for each row
            sizes = [-1 if n is None else n for n in own.shape.as_list()]
            own = reshape(own, [*sizes, *[1] * lacking])
        weights = ones_like(tensor) * own
        return reduce_sum(tensor * weights), reduce_sum(weights)


class Mean(Sum):
    """The mean of values; parameters are those of `Sum`.

    Examples
    --------
    >>> with tf.eager_execution():
    ...     mean = tf.keras.metrics.Mean("loss")
    ...     mean.update_state([1.0, 3.0])
    ...     mean.update_state(5.0)
    ...     float(mean.result())
    3.0
    """

    def __init__(self, name: str = "mean", dtype: Any = None) -> None:
        super().__init__(name, dtype)
        self.count = self.add_weight("count")

    def update_state(self, values: Any, sample_weight: Any = None) -> Any:
        """Add values, each times its weight, and the weights."""
        total, count = self._sums(values, sample_weight)
        return self._add((self.total, total), (self.count, count))

    def result(self) -> Tensor:
        """Return the mean; zero for no values."""
        return div_no_nan(self.total.read_value(), self.count.read_value())


class Accuracy(Mean):
    """The fraction of predictions that equal their labels; parameters as for `Sum`."""

    def __init__(self, name: str = "accuracy", dtype: Any = None) -> None:
        super().__init__(name, dtype)

    def update_state(  # type: ignore[override]
        self, y_true: Any, y_pred: Any, sample_weight: Any = None
    ) -> Any:
        """Compare labels and predictions of equal shape."""
        labels, predicted = convert_to_tensor(y_true), convert_to_tensor(y_pred)
        same = equal(cast(labels, self.dtype), cast(predicted, self.dtype))
        return super().update_state(cast(same, self.dtype), sample_weight)


class SparseCategoricalAccuracy(Mean):
    """The fraction of rows whose largest prediction is the label; see `Sum`."""

    def __init__(
        self, name: str = "sparse_categorical_accuracy", dtype: Any = None
    ) -> None:
        super().__init__(name, dtype)

    def update_state(  # type: ignore[override]
        self, y_true: Any, y_pred: Any, sample_weight: Any = None
    ) -> Any:
        """Compare labels with the largest along the last axis of predictions."""
        labels, predicted = convert_to_tensor(y_true), convert_to_tensor(y_pred)
        if labels.shape.rank == predicted.shape.rank:
            labels = squeeze(labels, [-1])
        same = equal(cast(labels, int64), argmax(predicted, -1))
        return super().update_state(cast(same, self.dtype), sample_weight)
