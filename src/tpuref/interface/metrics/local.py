"""Common parts of metrics: local variables, values and updates, weights."""

from collections.abc import Sequence
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.dtypes import DType, float32
from tpuref.engine.graph.aggregation import VariableAggregation, VariableSynchronization
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.default import executing_eagerly, get_default_graph
from tpuref.engine.graph.graph import GraphKeys
from tpuref.engine.graph.tensor import Tensor
from tpuref.engine.graph.variables import Variable
from tpuref.interface.functions.arithmetic import div_no_nan, multiply
from tpuref.interface.functions.conversion import cast
from tpuref.interface.functions.creation import ones_like, zeros
from tpuref.interface.functions.reshaping import expand_dims, squeeze

Metric = tuple[Tensor, Tensor]
"""The value of a metric, and the operation that adds a batch and gives the value."""


def metric_variable(
    shape: Sequence[int], dtype: DType, name: str, validate_shape: bool = True
) -> Any:
    """Return a variable of zeros that is neither trained nor saved."""
    if executing_eagerly():
        raise codes.WRONG_ARGUMENT_TYPE.runtime_error(
            "tf.metrics: metrics need a graph, which eager mode does not have; create "
            "them within tf.Graph().as_default()"
        )
    return Variable(
        lambda: zeros(shape, dtype),
        trainable=False,
        collections=[GraphKeys.LOCAL_VARIABLES, GraphKeys.METRIC_VARIABLES],
        validate_shape=validate_shape,
        name=name,
        synchronization=VariableSynchronization.ON_READ,
        aggregation=VariableAggregation.SUM,
    )


def collected(
    value: Tensor, update: Tensor, metrics_collections: Any, updates_collections: Any
) -> Metric:
    """Add value and update of a metric to collections, and return them."""
    graph = get_default_graph()
    for names, tensor in ((metrics_collections, value), (updates_collections, update)):
        if names:
            graph.add_to_collections(
                [names] if isinstance(names, str) else names, tensor
            )
    return value, update


def ratio(part: Any, whole: Any, name: str | None = None) -> Tensor:
    """Return a quotient, 0 if the divisor is 0."""
    return div_no_nan(convert_to_tensor(part), convert_to_tensor(whole), name=name)


def aligned(labels: Any, predictions: Any) -> tuple[Tensor, Tensor]:
    """Return labels and predictions; the longer shape loses a last axis of size 1."""
    truth, predicted = convert_to_tensor(labels), convert_to_tensor(predictions)
    own, other = truth.shape.rank, predicted.shape.rank
    if own is not None and other == own + 1:
        predicted = squeeze(predicted, [-1])
    elif other is not None and own == other + 1:
        truth = squeeze(truth, [-1])
    if not truth.shape.is_compatible_with(predicted.shape):
        raise codes.WRONG_ARGUMENT_TYPE.value_error(
            f"tf.metrics: labels {truth.describe()} and predictions "
            f"{predicted.describe()} "
            "have different shapes; expected the same"
        )
    return truth, predicted


def weights_like(values: Tensor, weights: Any, dtype: DType = float32) -> Tensor:
    """Return weights with the shape of values."""
    factors = cast(convert_to_tensor(weights), dtype)
    rank, wanted = factors.shape.rank, values.shape.rank
    if rank and wanted is not None:
        if rank == wanted + 1:
            factors = squeeze(factors, [-1])
        elif rank + 1 == wanted:
            factors = expand_dims(factors, -1)
    return multiply(factors, ones_like(values, dtype=dtype))
