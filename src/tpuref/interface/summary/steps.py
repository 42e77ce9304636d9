"""Write summaries as in TensorFlow 2: to the default writer, at a step.

Eager mode writes them at once, a graph when the operation runs; `all_v2_summary_ops`
returns those operations.
"""

from __future__ import annotations

import contextlib
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base.arguments import number, wrong_type
from tpuref.base.dtypes import int64, uint8
from tpuref.base.errors import InvalidArgumentError
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.default import executing_eagerly, get_default_graph
from tpuref.engine.graph.graph import Graph
from tpuref.engine.graph.tensor import Operation
from tpuref.engine.ops.meaning import Array
from tpuref.interface.files.filesystem import PathLike
from tpuref.interface.functions.colors import convert_image_dtype
from tpuref.interface.functions.dependencies import no_op
from tpuref.interface.functions.host_functions import py_func
from tpuref.interface.summary.event_file import FileWriter
from tpuref.interface.summary.messages import Event, Summary, SummaryMetadata
from tpuref.interface.summary.values import (
    histogram_buckets,
    image_texts,
    tensor_summary,
)

OPERATIONS = "_SUMMARY_V2"
"""The collection of the operations that write summaries."""

WRITERS = "_summary_writers"
"""The collection of the files that summaries are written to."""


class _Settings(threading.local):
    """The thread-local writers, conditions and default step."""

    def __init__(self) -> None:
        self.writers: list[SummaryWriter] = []
        self.conditions: list[Any] = [True]
        self.step: Any = None


_settings = _Settings()


class SummaryWriter:
    """A writer that can be the default one; `max_queue` summaries may be unflushed."""

    def __init__(self, writer: FileWriter | None, max_queue: int = 10) -> None:
        self._writer, self._max_queue = writer, max_queue
        self._waiting = 0

    @contextlib.contextmanager
    def as_default(self, step: Any = None) -> Iterator[SummaryWriter]:
        """Make this the default writer of a block, optionally with a default step."""
        before = _settings.step
        _settings.writers.append(self)
        if step is not None:
            _settings.step = step
        try:
            yield self
        finally:
            _settings.step = before
            _settings.writers.pop()
            if executing_eagerly():
                self.flush()

    set_as_default = as_default

    def init(self) -> Operation | None:
        """Return an operation that prepares the writer, which does nothing."""
        return None if executing_eagerly() else no_op()

    def flush(self) -> Any:
        """Flush the writer; in a graph, return an operation that does."""
        return self._apply("flush")

    def close(self) -> Any:
        """Close the file; in a graph, return an operation that does."""
        return self._apply("close")

    def _apply(self, what: str) -> Any:
        writer = self._writer
        if writer is None:
            return None if executing_eagerly() else no_op()
        if executing_eagerly():
            return getattr(writer, what)()
        return py_func(lambda: getattr(writer, what)(), [], [], name=what)

    def write(self, summary: bytes, step: int) -> None:
        """Write a serialized summary."""
        if self._writer is None:
            return
        self._writer.add_event(Event(summary=Summary.FromString(summary), step=step))
        self._waiting += 1
        if self._waiting > self._max_queue:
            self._waiting = 0
            self._writer.flush()

    def add_graph(self, graph: Graph) -> None:
        """Write the operations of a graph."""
        if self._writer is not None:
            self._writer.add_graph(graph)

    def __enter__(self) -> SummaryWriter:
        self._block = self.as_default()
        return self._block.__enter__()

    def __exit__(self, *raised: Any) -> None:
        self._block.__exit__(*raised)
        if executing_eagerly():
            self.close()


def create_file_writer(
    logdir: PathLike,
    max_queue: int | None = None,
    flush_millis: int | None = None,
    filename_suffix: str | None = None,
    name: str | None = None,
) -> SummaryWriter:
    """Return a writer of event files in a directory.

    `max_queue` is the number of summaries to write before a flush, by default 10.
    `flush_millis` is the maximum time between two flushes, by default two minutes.
    `filename_suffix` is the end of the file name.

    Examples
    --------
    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> with tf.eager_execution():
    ...     with tf.summary.create_file_writer(folder).as_default():
    ...         _ = tf.summary.scalar("loss", 0.5, step=1)
    >>> [name[:19] for name in os.listdir(folder)]
    ['events.out.tfevents']
    """
    seconds = (
        120.0
        if flush_millis is None
        else number("create_file_writer: flush_millis", flush_millis) / 1000
    )
    file = FileWriter(logdir, flush_secs=seconds, filename_suffix=filename_suffix)
    if not executing_eagerly():
        get_default_graph().add_to_collection(WRITERS, file)
    return SummaryWriter(file, 10 if max_queue is None else max_queue)


def flush_writers(graph: Graph) -> None:
    """Flush the writers that were created in a graph."""
    for file in graph.get_collection(WRITERS):
        file.flush()


def create_noop_writer() -> SummaryWriter:
    """Return a writer that discards summaries."""
    return SummaryWriter(None)


@contextlib.contextmanager
def record_if(condition: Any) -> Iterator[None]:
    """Write the summaries of a block only if a condition holds.

    The condition is a bool, a bool tensor, or a function that returns one.
    """
    _settings.conditions.append(condition)
    try:
        yield
    finally:
        _settings.conditions.pop()


def always_record_summaries() -> contextlib.AbstractContextManager[None]:
    """Write the summaries of a block."""
    return record_if(True)


def never_record_summaries() -> contextlib.AbstractContextManager[None]:
    """Skip the summaries of a block."""
    return record_if(False)


def all_v2_summary_ops() -> list[Any]:
    """Return the operations of the graph that write summaries."""
    return get_default_graph().get_collection(OPERATIONS)


def scalar(name: str, data: Any, step: Any = None, description: Any = None) -> Any:
    """Write a number at a step."""

    def number_of(value: Array) -> Array:
        if value.size != 1:
            raise InvalidArgumentError(
                f"tf.summary.scalar: {name!r} takes one number, got shape "
                f"{list(value.shape)}",
                code=codes.INVALID_ARGUMENT,
            )
        return value.astype(np.float32).reshape(())

    return _write("scalars", number_of, name, data, step, description)


def histogram(
    name: str, data: Any, step: Any = None, buckets: Any = None, description: Any = None
) -> Any:
    """Write the distribution of numbers at a step, by default in 30 buckets."""
    count = 30 if buckets is None else int(buckets)

    def counted(value: Array) -> Array:
        return histogram_buckets(value, count)

    return _write("histograms", counted, name, data, step, description)


def image(
    name: str,
    data: Any,
    step: Any = None,
    max_outputs: int = 3,
    description: Any = None,
) -> Any:
    """Write images at a step; real numbers range from 0 to 1."""

    def encoded(value: Array) -> Array:
        return image_texts(value, max_outputs)

    images = convert_image_dtype(data, uint8, saturate=True)
    return _write("images", encoded, name, images, step, description)


def text(name: str, data: Any, step: Any = None, description: Any = None) -> Any:
    """Write texts at a step."""

    def kept(value: Array) -> Array:
        return np.asarray(value, object)

    return _write("text", kept, name, data, step, description)


def _write(
    plugin: str,
    content: Callable[[Array], Array],
    name: str,
    data: Any,
    step: Any,
    description: Any,
) -> Any:
    """Write a tensor for one of TensorBoard's plugins, as TensorFlow 2 does."""
    metadata = SummaryMetadata(summary_description=description)
    metadata.plugin_data.plugin_name = plugin

    def summarize(tag: str, value: Any) -> bytes:
        return tensor_summary(tag, content(np.asarray(value)), metadata)

    return written(plugin.removesuffix("s"), summarize, name, data, step)


def write(
    tag: str, tensor: Any, step: Any = None, metadata: Any = None, name: Any = None
) -> Any:
    """Write a tensor at a step for the plugin that `metadata` names.

    `tensor` may be a function that returns it.  `metadata` is a `tf.SummaryMetadata`.
    The `tag` does not get the names of scopes; see `summary_scope`.

    Examples
    --------
    >>> with tf.eager_execution():
    ...     bool(tf.compat.v2.summary.write("x", 1.0, step=0))  # without a writer
    False
    """

    def summarize(tag: str, value: Any) -> bytes:
        return tensor_summary(tag, np.asarray(value), metadata or SummaryMetadata())

    if callable(tensor) and default_writer() is not None:
        tensor = tensor()
    return written("write", summarize, tag, tensor, step, scoped=False)


@contextlib.contextmanager
def summary_scope(
    name: str, default_name: str = "summary", values: Any = None
) -> Iterator[tuple[str, str]]:
    """Enter a name scope for a summary; yield its tag and the scope.

    `default_name` replaces an empty name; `values` is accepted for compatibility.
    """
    graph, name = get_default_graph(), name or default_name
    scope = graph.get_name_scope()
    with graph.name_scope(clean_name(name)) as entered:
        yield (f"{scope}/{name}" if scope else name), entered


def get_step() -> Any:
    """Return the default step, or None."""
    return _settings.step


def set_step(step: Any) -> None:
    """Set the default step of this thread: a number, a variable, or None."""
    _settings.step = step


def should_record_summaries() -> Any:
    """Return whether summaries are written here, as a bool or a tensor."""
    condition = _settings.conditions[-1] if default_writer() else False
    return condition() if callable(condition) else condition


def graph(graph_data: Graph) -> bool:
    """Write the operations of a graph, or of a traced function, in eager mode."""
    writer = default_writer()
    if writer is not None:
        writer.add_graph(graph_data)
    return writer is not None


def default_writer() -> SummaryWriter | None:
    """Return the writer of the innermost block, or None."""
    return _settings.writers[-1] if _settings.writers else None


def flush(writer: SummaryWriter | None = None, name: str | None = None) -> Any:
    """Flush a writer, by default the default one."""
    chosen = default_writer() if writer is None else writer
    if chosen is not None and not hasattr(chosen, "flush"):
        raise wrong_type("tf.contrib.summary.flush: writer", "a writer", writer)
    return None if chosen is None else chosen.flush()


def written(
    kind: str,
    summarize: Callable[[str, Any], bytes],
    name: str,
    data: Any,
    step: Any,
    scoped: bool = True,
) -> Any:
    """Write a summary in eager mode; in a graph, return an operation that does."""
    writer = default_writer()
    if writer is None:
        return False if executing_eagerly() else no_op()
    step = _settings.step if step is None else step
    if step is None:
        raise codes.INVALID_ARGUMENT.value_error(
            f"tf.summary.{kind}: {name!r} has no step; give step=, or set it with "
            "writer.as_default(step=...)"
        )
    condition = should_record_summaries()
    scope = get_default_graph().get_name_scope() if scoped else ""
    tag = f"{scope}/{name}" if scope else name

    def write(value: Any, at: Any, wanted: Any) -> None:
        if np.all(wanted):
            writer.write(summarize(tag, value), int(np.ravel(at)[0]))

    inputs: Sequence[Any] = [
        convert_to_tensor(data),
        convert_to_tensor(step, dtype_hint=int64),
        convert_to_tensor(condition),
    ]
    operation = py_func(write, inputs, [], name=f"write_{clean_name(name)}")
    if not executing_eagerly():
        get_default_graph().add_to_collection(OPERATIONS, operation)
        return operation
    return True


def clean_name(name: str) -> str:
    """Return a valid operation name, with other characters replaced by underscores."""
    return re.sub(r"[^-/\w.]", "_", name).lstrip("/") or "summary"
