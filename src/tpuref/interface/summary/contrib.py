"""The functions of ``tf.contrib.summary``, whose default step is the global step."""

from typing import Any

from tpuref.base import error_codes as codes
from tpuref.engine.graph.default import executing_eagerly, get_default_graph
from tpuref.engine.graph.graph import GraphKeys
from tpuref.interface.functions.comparison import equal
from tpuref.interface.functions.dependencies import group
from tpuref.interface.summary import steps
from tpuref.interface.summary.values import (
    histogram_summary,
    image_summary,
    scalar_summary,
)


def scalar(name: str, tensor: Any, family: str | None = None, step: Any = None) -> Any:
    """Write a number at a step, by default the global step."""
    at = _step("scalar", step)
    return steps.written("scalar", scalar_summary, _tag(name, family), tensor, at)


def histogram(
    name: str, tensor: Any, family: str | None = None, step: Any = None
) -> Any:
    """Write the distribution of numbers at a step, by default the global step."""
    at = _step("histogram", step)
    return steps.written("histogram", histogram_summary, _tag(name, family), tensor, at)


def image(
    name: str,
    tensor: Any,
    bad_color: Any = None,
    max_images: int = 3,
    family: str | None = None,
    step: Any = None,
) -> Any:
    """Write images at a step, by default the global step."""

    def summarize(tag: str, value: Any) -> bytes:
        return image_summary(tag, value, max_images)

    at = _step("image", step)
    return steps.written("image", summarize, _tag(name, family), tensor, at)


def _tag(name: str, family: str | None) -> str:
    return name if family is None else f"{family}/{name}"


def _step(kind: str, step: Any) -> Any:
    known = get_default_graph().get_collection(GraphKeys.GLOBAL_STEP)
    if step is None and not known:
        raise codes.INVALID_ARGUMENT.value_error(
            f"tf.contrib.summary.{kind}: there is no global step; give step="
        )
    return known[0] if step is None else step


def record_summaries_every_n_global_steps(n: int, global_step: Any = None) -> Any:
    """Write the summaries of a block at every `n`-th step."""
    step = _step("record_summaries_every_n_global_steps", global_step)
    return steps.record_if(lambda: equal(step % n, 0))


def summary_writer_initializer_op() -> list[Any]:
    """Return the operations that prepare writers: none."""
    return []


def initialize(graph: Any = None, session: Any = None) -> Any:
    """Prepare the writers, and write a `graph` to the default one."""
    writer = steps.default_writer()
    if writer is not None and graph is not None:
        writer.add_graph(graph)
    return None if executing_eagerly() else group()
