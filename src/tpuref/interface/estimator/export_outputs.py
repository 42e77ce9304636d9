"""The names under ``tf.estimator.export``, accepted although nothing is exported."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from tpuref.base import error_codes as codes
from tpuref.base.errors import coded


class ExportOutput:
    """The outputs of a model under one name, as ``outputs``."""

    def __init__(self, outputs: Any) -> None:
        self.outputs = outputs


class PredictOutput(ExportOutput):
    """Outputs of any kind: a tensor, or a dict of tensors."""


class EvalOutput(ExportOutput):
    """The loss, predictions and metrics of an evaluation."""

    def __init__(self, loss: Any = None, predictions: Any = None, metrics: Any = None):
        super().__init__({"loss": loss, "predictions": predictions, "metrics": metrics})


class RegressionOutput(ExportOutput):
    """One number for each row."""

    def __init__(self, value: Any) -> None:
        super().__init__(value)
        self.value = value


class ClassificationOutput(ExportOutput):
    """Scores and class names for each row."""

    def __init__(self, scores: Any = None, classes: Any = None) -> None:
        super().__init__({"scores": scores, "classes": classes})
        self.scores, self.classes = scores, classes


class ServingInputReceiver(NamedTuple):
    """The features of a served model, and the tensors they are computed from."""

    features: Any
    receiver_tensors: Any
    receiver_tensors_alternatives: Any = None


class TensorServingInputReceiver(NamedTuple):
    """The single feature of a served model, and the tensors it is computed from."""

    features: Any
    receiver_tensors: Any
    receiver_tensors_alternatives: Any = None


def build_raw_serving_input_receiver_fn(
    features: Mapping[str, Any], default_batch_size: int | None = None
) -> Any:
    """Return a function whose features are fed unchanged."""
    return lambda: ServingInputReceiver(features, features)


def no_saved_model(function: str) -> NotImplementedError:
    """Return the error of functions that would write a SavedModel."""
    return coded(
        NotImplementedError,
        f"{function}: tpuref writes no SavedModel; keep the checkpoint, whose path "
        "estimator.latest_checkpoint() returns, and the model function, and predict "
        "with estimator.predict",
        code=codes.MISSING_NAME,
    )
