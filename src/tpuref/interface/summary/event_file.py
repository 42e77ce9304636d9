"""Write and read event files for TensorBoard; the writer of TensorFlow 1."""

from __future__ import annotations

import contextlib
import itertools
import os
import socket
import threading
import time
from collections.abc import Iterator
from typing import IO, Any, ClassVar

from tpuref.base import error_codes as codes
from tpuref.base.arguments import integer, number, wrong_type
from tpuref.base.errors import DataLossError, OpError
from tpuref.engine.graph.graph import Graph
from tpuref.engine.runtime.hosts import here
from tpuref.interface.files.filesystem import PathLike, failures, files_at, joined
from tpuref.interface.files.records import framed, tf_record_iterator
from tpuref.interface.summary.messages import Event, GraphDef, SessionLog, Summary

_serial = itertools.count()


class EventFile:
    """A file of events, created with the first and flushed every `flush_seconds`."""

    def __init__(self, directory: PathLike, flush_seconds: float, suffix: str) -> None:
        self._files, self.directory = files_at(
            directory, "tf.summary.FileWriter", "logdir"
        )
        self._flush_seconds, self._suffix = flush_seconds, suffix
        self._file: IO[bytes] | None = None
        self._flushed = time.monotonic()
        self._lock = threading.Lock()

    def add(self, event: Any) -> None:
        """Write an event; one without a time gets the current one."""
        if not event.wall_time:
            event.wall_time = time.time()
        with self._lock, failures("tf.summary.FileWriter", self.directory):
            if self._file is None:
                self._file = self._begin_file()
            self._file.write(framed(event.SerializeToString()))
            if time.monotonic() - self._flushed > self._flush_seconds:
                self._flush()

    def _begin_file(self) -> IO[bytes]:
        self._files.makedirs(self.directory)
        now = time.time()
        name = (
            f"events.out.tfevents.{int(now):010d}.{socket.gethostname()}."
            f"{os.getpid()}.{next(_serial)}{self._suffix}"
        )
        file = self._files.open(joined(self.directory, name), "wb")
        first = Event(wall_time=now, file_version="brain.Event:2")
        file.write(framed(first.SerializeToString()))
        return file

    def _flush(self) -> None:
        self._flushed = time.monotonic()
        if self._file is not None:
            self._file.flush()

    def flush(self) -> None:
        """Flush the file."""
        with self._lock, failures("tf.summary.FileWriter", self.directory):
            self._flush()

    def close(self) -> None:
        """Close the file; a later event begins another one."""
        with self._lock, failures("tf.summary.FileWriter", self.directory):
            if self._file is not None:
                self._file.close()
            self._file = None

    def __del__(self) -> None:
        # As with TensorFlow, programs need not close their writers.
        if getattr(self, "_file", None) is not None:
            self.close()


class FileWriter:
    """Writes summaries to an event file in a directory.

    `logdir` is the directory, for ``tensorboard --logdir``.  `graph` is a graph to
    write first.  `max_queue` is accepted for compatibility: each event is written as it
    is added.  `flush_secs` is the maximum number of seconds between two flushes.
    `filename_suffix` is the end of the file name.

    Examples
    --------
    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> loss = tf.summary.scalar("loss", 0.5)
    >>> with tf.Session() as sess, tf.summary.FileWriter(folder) as writer:
    ...     writer.add_summary(sess.run(loss), global_step=1)
    >>> [name[:19] for name in os.listdir(folder)]
    ['events.out.tfevents']
    """

    def __init__(
        self,
        logdir: PathLike,
        graph: Graph | None = None,
        max_queue: int = 10,
        flush_secs: float = 120,
        graph_def: Any = None,
        filename_suffix: str | None = None,
        session: Any = None,
    ) -> None:
        if filename_suffix is not None:
            _expect(str, "filename_suffix", "a string", filename_suffix)
        seconds = number("tf.summary.FileWriter: flush_secs", flush_secs)
        self._file = EventFile(logdir, seconds, filename_suffix or "")
        self._described: set[str] = set()
        if graph is not None:
            self.add_graph(graph)

    def get_logdir(self) -> str:
        """Return the directory."""
        return self._file.directory

    def add_summary(self, summary: Any, global_step: Any = None) -> None:
        """Write a `tf.Summary`, or a serialized one, as a session returns it."""
        if isinstance(summary, bytes):
            summary = _parse(Summary, summary, "tf.summary.FileWriter.add_summary")
        _expect(Summary, "add_summary: summary", "a tf.Summary", summary)
        event = Event(summary=summary)
        for value in event.summary.value:  # TensorBoard needs metadata once per tag
            if value.HasField("metadata") and value.tag in self._described:
                value.ClearField("metadata")
            elif value.HasField("metadata"):
                self._described.add(value.tag)
        self._add(event, global_step)

    def add_event(self, event: Any) -> None:
        """Write a `tf.Event`."""
        _expect(Event, "add_event: event", "a tf.Event", event)
        self._file.add(event)

    def add_session_log(self, session_log: Any, global_step: Any = None) -> None:
        """Write the start or a save of a session, a `tf.SessionLog`."""
        _expect(
            SessionLog, "add_session_log: session_log", "a tf.SessionLog", session_log
        )
        self._add(Event(session_log=session_log), global_step)

    def add_graph(
        self, graph: Graph, global_step: Any = None, graph_def: Any = None
    ) -> None:
        """Write the operations of a graph and the tensors between them."""
        _expect(Graph, "add_graph: graph", "a tf.Graph", graph)
        definition = graph_definition(graph)
        self._add(Event(graph_def=definition.SerializeToString()), global_step)

    def _add(self, event: Any, step: Any) -> None:
        if step is not None:
            event.step = integer("tf.summary.FileWriter: global_step", step)
        self._file.add(event)

    def flush(self) -> None:
        """Flush the file, so that TensorBoard sees the events."""
        self._file.flush()

    def close(self) -> None:
        """Close the file; a later summary begins another one."""
        self._file.close()

    def reopen(self) -> None:
        """Begin a new file with the next summary."""
        self._file.close()

    def __enter__(self) -> FileWriter:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()


class _DiscardingWriter(FileWriter):
    """The writer of hosts other than the first, which writes for all."""

    def add_event(self, event: Any) -> None:
        pass

    def _add(self, event: Any, step: Any) -> None:
        pass


class FileWriterCache:
    """The file writers of a process, one for each directory."""

    _writers: ClassVar[dict[str, FileWriter]] = {}

    @staticmethod
    def get(logdir: PathLike) -> FileWriter:
        """Return the writer of a directory, created on first use."""
        kind = FileWriter if here.is_chief() else _DiscardingWriter
        _, path = files_at(logdir, "tf.summary.FileWriterCache.get", "logdir")
        return FileWriterCache._writers.setdefault(path, kind(path))

    @staticmethod
    def clear() -> None:
        """Close and forget all of them."""
        for writer in FileWriterCache._writers.values():
            writer.close()
        FileWriterCache._writers.clear()


def summary_iterator(path: PathLike) -> Iterator[Any]:
    """Yield the events of an event file."""
    for record in tf_record_iterator(path):
        yield _parse(Event, record, f"tf.train.summary_iterator: {path!r}")


def graph_definition(graph: Graph) -> Any:
    """Return the operations of a graph as a message for TensorBoard."""
    definition = GraphDef()
    for operation in graph.get_operations():
        node = definition.node.add(
            name=operation.name, op=operation.type, device=operation.device
        )
        node.input.extend(tensor.name.removesuffix(":0") for tensor in operation.inputs)
        node.input.extend(f"^{other.name}" for other in operation.control_inputs)
    return definition


def add_graph_once(writer: FileWriter, graph: Graph) -> None:
    """Write a graph, unless an event file of the directory begins with it.

    TensorBoard warns of a run with several graphs, such as a training that goes on.
    """
    content = graph_definition(graph).SerializeToString()
    files, directory = files_at(writer.get_logdir(), "tf.summary.FileWriter", "logdir")
    writer.flush()
    for path in files.glob(joined(directory, "events.out.tfevents.*")):
        with contextlib.suppress(OpError):  # the file of a killed process
            beginning = itertools.islice(summary_iterator(path), 3)
            if any(event.graph_def == content for event in beginning):
                return
    writer.add_graph(graph)


def _expect(kind: Any, argument: str, expected: str, value: Any) -> None:
    if not isinstance(value, kind):
        raise wrong_type(f"tf.summary.FileWriter: {argument}", expected, value)


def _parse(kind: Any, content: bytes, origin: str) -> Any:
    """Return the message of serialized bytes."""
    message = kind()
    try:
        message.ParseFromString(content)
    except Exception as error:
        # Compared by name, because protobuf is imported on first use only.
        if type(error).__name__ != "DecodeError":
            raise
        raise DataLossError(
            f"{origin}: expected a serialized {type(message).__name__}, got damaged "
            f"bytes ({error}); write the file again",
            code=codes.DAMAGED_FILE,
        ) from None
    return message
