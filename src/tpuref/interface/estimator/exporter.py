"""Define exporters, which would write SavedModels; SavedModels are not supported."""

from typing import Any

from tpuref.interface.estimator.export_outputs import no_saved_model


class Exporter:
    """A callback of `train_and_evaluate` after an evaluation, to be subclassed.

    A subclass has a ``name``, and ``export(estimator, export_path, checkpoint_path,
    eval_result, is_the_final_export)``.
    """

    @property
    def name(self) -> str:
        """The name of its directory."""
        raise NotImplementedError

    def export(
        self,
        estimator: Any,
        export_path: str,
        checkpoint_path: Any,
        eval_result: Any,
        is_the_final_export: bool,
    ) -> Any:
        """Export a checkpoint."""
        raise NotImplementedError


class _SavedModelExporter(Exporter):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise no_saved_model(f"tf.estimator.{type(self).__name__}")


class LatestExporter(_SavedModelExporter):
    """Raises NotImplementedError: SavedModels are not supported."""


class FinalExporter(_SavedModelExporter):
    """Raises NotImplementedError: SavedModels are not supported."""


class BestExporter(_SavedModelExporter):
    """Raises NotImplementedError: SavedModels are not supported."""
