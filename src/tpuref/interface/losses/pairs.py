"""Labels and predictions, which must fit each other."""

from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.dtypes import float32
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.conversion import cast


def as_floats(function: str, labels: Any, predictions: Any) -> tuple[Tensor, Tensor]:
    """Return labels and predictions as float32 tensors of the same shape."""
    for argument, value in {"labels": labels, "predictions": predictions}.items():
        if value is None:
            raise codes.WRONG_ARGUMENT_TYPE.value_error(
                f"tf.losses.{function}: {argument} must not be None; give a tensor"
            )
    truth = cast(convert_to_tensor(labels), float32)
    predicted = cast(convert_to_tensor(predictions), float32)
    check_pair(function, truth, predicted)
    return truth, predicted


def check_pair(function: str, labels: Tensor, predictions: Tensor) -> None:
    """Raise ValueError unless the shapes can be the same."""
    if not labels.shape.is_compatible_with(predictions.shape):
        raise codes.WRONG_ARGUMENT_TYPE.value_error(
            f"tf.losses.{function}: labels {labels.describe()} and predictions "
            f"{predictions.describe()} have different shapes; expected the same"
        )
