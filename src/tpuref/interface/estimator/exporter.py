"""Exporters, which write a SavedModel after an evaluation; there is none here."""

from __future__ import annotations

from typing import Any

from tpuref.interface.estimator.export_outputs import no_saved_model


class Exporter:
    """What `train_and_evaluate` calls after an evaluation; write a subclass.

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
        """Write what is to be kept of a checkpoint."""
        raise NotImplementedError


class _SavedModelExporter(Exporter):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise no_saved_model(f"tf.estimator.{type(self).__name__}")


class LatestExporter(_SavedModelExporter):
    """Raises NotImplementedError: there is no SavedModel here."""


class FinalExporter(_SavedModelExporter):
    """Raises NotImplementedError: there is no SavedModel here."""


class BestExporter(_SavedModelExporter):
    """Raises NotImplementedError: there is no SavedModel here."""
