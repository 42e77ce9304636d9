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
from tpuref.base.dtypes import int64
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.default import executing_eagerly, get_default_graph
from tpuref.engine.graph.graph import Graph
from tpuref.engine.graph.tensor import Operation
from tpuref.interface.files.filesystem import PathLike
from tpuref.interface.functions.control_flow import no_op, py_func
from tpuref.interface.summary import values
from tpuref.interface.summary.event_file import FileWriter

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
        self._writer.add_summary(summary, step)
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
    return _write("scalar", values.scalar_summary, name, data, step)


def histogram(
    name: str, data: Any, step: Any = None, buckets: Any = None, description: Any = None
) -> Any:
    """Write the distribution of numbers at a step."""
    return _write("histogram", values.histogram_summary, name, data, step)


def image(
    name: str,
    data: Any,
    step: Any = None,
    max_outputs: int = 3,
    description: Any = None,
) -> Any:
    """Write images at a step; real numbers range from 0 to 1."""

    def summarize(tag: str, value: Any) -> bytes:
        if np.issubdtype(value.dtype, np.floating):
            value = (np.clip(value, 0.0, 1.0) * 255.0).astype(np.uint8)
        return values.image_summary(tag, value, max_outputs)

    return _write("image", summarize, name, data, step)


def text(name: str, data: Any, step: Any = None, description: Any = None) -> Any:
    """Write texts at a step."""
    return _write("text", values.text_summary, name, data, step)


def default_writer() -> SummaryWriter | None:
    """Return the writer of the innermost block, or None."""
    return _settings.writers[-1] if _settings.writers else None


def flush(writer: SummaryWriter | None = None, name: str | None = None) -> Any:
    """Flush a writer, by default the default one."""
    chosen = default_writer() if writer is None else writer
    if chosen is not None and not hasattr(chosen, "flush"):
        raise wrong_type("tf.contrib.summary.flush: writer", "a writer", writer)
    return None if chosen is None else chosen.flush()


def _write(
    kind: str, summarize: Callable[[str, Any], bytes], name: str, data: Any, step: Any
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
    condition = _settings.conditions[-1]
    condition = condition() if callable(condition) else condition
    scope = get_default_graph().get_name_scope()
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
