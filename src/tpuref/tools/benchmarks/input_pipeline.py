"""Seconds per example from TFRecord files, compared with TensorFlow and PyTorch."""

import importlib.util
import itertools
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import tpuref as tf
from tpuref.engine.ops.meaning import Array
from tpuref.tools.benchmarks.contest import interleaved
from tpuref.tools.benchmarks.extent import Extent
from tpuref.tools.benchmarks.peers import readers
from tpuref.tools.benchmarks.table import Goal, Row, Table, times_as_fast

OWN, TENSORFLOW, PYTORCH = "tpuref", "TensorFlow", "PyTorch"
MODULES = {TENSORFLOW: "tensorflow", PYTORCH: "torch"}

READERS = {TENSORFLOW: readers.tensorflow, PYTORCH: readers.pytorch}

TARGET = 0.5
"""The target of the speed relative to TensorFlow."""

BATCH, FILES, EXAMPLES = 256, 4, 5120
WARM = 8
"""The batches of a turn that are not timed: more than a pipeline prefetches."""

Batch = tuple[Array, Array]

PIXELS = 28 * 28
TOKENS = 128


def tables(extent: Extent) -> list[Table]:
    """Measure, and return the table."""
    table = Table("input", "Examples from TFRecord files", [OWN, TENSORFLOW, PYTORCH])
    peers = [
        name
        for name, module in MODULES.items()
        if extent.peers and importlib.util.find_spec(module) is not None
    ]
    table.missing = {
        name: "left out, or not installed" for name in MODULES if name not in peers
    }
    with tempfile.TemporaryDirectory() as folder:
        for kind in ("images", "tokens")[: 1 if extent.quick else None]:
            paths = written(Path(folder), kind)
            table.add(_row(kind, paths, peers, extent), extent.report)
    return [table]


def written(folder: Path, kind: str) -> list[str]:
    """Write files of examples: an image of bytes, or a row of tokens, and a label."""
    random = np.random.default_rng(1)
    paths = [str(folder / f"{kind}-{k}.tfrecord") for k in range(FILES)]
    for path in paths:
        with tf.python_io.TFRecordWriter(path) as writer:
            for _ in range(EXAMPLES // FILES):
                example = tf.train.Example()
                feature = example.features.feature
                if kind == "images":
                    feature["x"].bytes_list.value.append(random.bytes(PIXELS))
                else:
                    tokens = random.integers(0, 30_000, TOKENS)
                    feature["x"].int64_list.value.extend(tokens.tolist())
                feature["y"].int64_list.value.append(int(random.integers(10)))
                writer.write(example.SerializeToString())
    return paths


def _row(kind: str, paths: Sequence[str], peers: Sequence[str], extent: Extent) -> Row:
    pipelines: dict[str, Callable[..., Iterator[Batch]]] = {OWN: own}
    pipelines |= {name: READERS[name] for name in peers}
    _compare(kind, paths, pipelines)
    batches = 40 if extent.quick else 200
    samples = interleaved(
        {
            name: _seconds(pipeline(kind, paths, training=True), batches)
            for name, pipeline in pipelines.items()
        },
        extent.rounds,
    )
    goals = [
        Goal(name, times_as_fast(samples, OWN, name), TARGET)
        for name in peers
        if name == TENSORFLOW
    ]
    what = {"images": "28 x 28 bytes", "tokens": f"{TOKENS} int64"}[kind]
    return Row({"features": f"{what} and a label"}, samples, goals=goals)


def _compare(
    kind: str,
    paths: Sequence[str],
    pipelines: dict[str, Callable[..., Iterator[Batch]]],
) -> None:
    """Raise AssertionError unless all yield the same examples, in the files' order."""
    expected: list[Batch] = []
    for name, pipeline in pipelines.items():
        batches = list(pipeline(kind, paths, training=False))
        expected = expected or batches
        for batch, right in itertools.zip_longest(batches, expected):
            for array, other in zip(batch, right, strict=True):
                assert array.dtype == other.dtype, name
                np.testing.assert_array_equal(array, other, err_msg=name)


def _seconds(batches: Iterator[Batch], count: int) -> Callable[[], float]:
    """Return a function that measures the seconds per example of `count` batches."""

    def seconds() -> float:
        for _ in range(WARM):
            next(batches)
        began = time.perf_counter()
        for _ in range(count):
            next(batches)
        return (time.perf_counter() - began) / (count * BATCH)

    return seconds


def own(kind: str, paths: Sequence[str], training: bool) -> Iterator[Batch]:
    """Yield the batches of tpuref's pipeline: once in order, or shuffled forever."""
    feature_specs: dict[str, Any] = {
        "x": tf.FixedLenFeature([], tf.string),
        "y": tf.FixedLenFeature([], tf.int64),
    }
    if kind == "tokens":
        feature_specs["x"] = tf.FixedLenFeature([TOKENS], tf.int64)

    def parse(record: Any) -> Any:
        example = tf.parse_single_example(record, feature_specs)
        x = example["x"]
        if kind == "images":
            x = tf.cast(tf.decode_raw(x, tf.uint8), tf.float32) / 255.0
            x = tf.reshape(x, [28, 28, 1])
        return tf.cast(x, tf.float32), tf.cast(example["y"], tf.int32)

    with tf.Graph().as_default():
        dataset = tf.data.Dataset.from_tensor_slices(list(paths))
        if training:
            interleave = tf.data.experimental.parallel_interleave
            dataset = dataset.apply(interleave(tf.data.TFRecordDataset, FILES))
            dataset = dataset.shuffle(1000).repeat()
        else:
            dataset = tf.data.TFRecordDataset(list(paths))
        batch = tf.data.experimental.map_and_batch(parse, BATCH)
        yield from dataset.apply(batch).prefetch(2).as_numpy_iterator()
