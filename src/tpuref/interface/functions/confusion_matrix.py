"""Confusion matrices."""

from typing import Any

from tpuref.base.arguments import name_or
from tpuref.base.dtypes import as_dtype, float32, float64, int32
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.default import get_default_graph
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.conversion import cast
from tpuref.interface.functions.creation import one_hot
from tpuref.interface.functions.linalg import matmul
from tpuref.interface.functions.reductions import reduce_max
from tpuref.interface.functions.reshaping import reshape


def confusion_matrix(
    labels: Any,
    predictions: Any,
    num_classes: Any = None,
    dtype: Any = int32,
    name: str | None = None,
    weights: Any = None,
) -> Tensor:
    """Return how often each class was predicted for each label.

    The result is a matrix with one row for each label and one column for each
    prediction.  `labels` and `predictions` are integers of the same number; a class
    outside of ``0 <= class < num_classes`` counts for nothing.  `num_classes` is the
    number of classes, by default one more than the greatest there is.  `weights` is the
    weight of each prediction, by default 1.

    Examples
    --------
    >>> tf.Session().run(tf.math.confusion_matrix([0, 1, 1], [0, 1, 0])).tolist()
    [[1, 0], [1, 1]]
    """
    with get_default_graph().name_scope(name_or(name, "confusion_matrix")):
        rows = reshape(cast(labels, int32), [-1])
        columns = reshape(cast(predictions, int32), [-1])
        if num_classes is None:
            num_classes = 1 + reduce_max([reduce_max(rows), reduce_max(columns)])
        kind = as_dtype(dtype)
        exact = float32 if kind == float32 else float64
        counted = one_hot(rows, num_classes, dtype=exact)
        if weights is not None:
            each = cast(convert_to_tensor(weights), exact)
            counted = counted * reshape(each, [-1, 1])
        predicted = one_hot(columns, num_classes, dtype=exact)
        return cast(matmul(counted, predicted, transpose_a=True), kind)


def confusion_matrix_v2(
    labels: Any,
    predictions: Any,
    num_classes: Any = None,
    weights: Any = None,
    dtype: Any = int32,
    name: str | None = None,
) -> Tensor:
    """Return `confusion_matrix`, with the parameters of TensorFlow 2."""
    return confusion_matrix(labels, predictions, num_classes, dtype, name, weights)
