"""Examples from TFRecord files with tf.data of TensorFlow and PyTorch's DataLoader."""

import importlib
import random
import struct
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tpuref.interface.data.examples import Example

BATCH, FILES, SHUFFLED, TOKENS = 256, 4, 1000, 128


def tensorflow(kind: str, paths: Sequence[str], training: bool) -> Iterator[Any]:
    """Yield the batches of TensorFlow's pipeline, which chooses its threads."""
    tf: Any = importlib.import_module("tensorflow")
    feature_specs = {
        "x": tf.io.FixedLenFeature([], tf.string),
        "y": tf.io.FixedLenFeature([], tf.int64),
    }
    if kind == "tokens":
        feature_specs["x"] = tf.io.FixedLenFeature([TOKENS], tf.int64)

    def parse(record: Any) -> Any:
        example = tf.io.parse_single_example(record, feature_specs)
        x = example["x"]
        if kind == "images":
            x = tf.cast(tf.io.decode_raw(x, tf.uint8), tf.float32) / 255.0
            x = tf.reshape(x, [28, 28, 1])
        return tf.cast(x, tf.float32), tf.cast(example["y"], tf.int32)

    automatic = tf.data.AUTOTUNE
    if training:
        dataset = tf.data.Dataset.from_tensor_slices(list(paths))
        dataset = dataset.interleave(
            tf.data.TFRecordDataset, FILES, num_parallel_calls=automatic
        )
        dataset = dataset.shuffle(SHUFFLED).repeat()
    else:
        dataset = tf.data.TFRecordDataset(list(paths))
    dataset = dataset.map(parse, num_parallel_calls=automatic).batch(BATCH)
    yield from dataset.prefetch(2).as_numpy_iterator()


def pytorch(kind: str, paths: Sequence[str], training: bool) -> Iterator[Any]:
    """Yield the batches of a DataLoader, with two workers if order does not matter."""
    torch: Any = importlib.import_module("torch")

    def records(path: str) -> Iterator[bytes]:
        with open(path, "rb") as file:  # without a check of the checksums
            while head := file.read(12):
                (length,) = struct.unpack("<Q", head[:8])
                yield file.read(length + 4)[:-4]

    class Examples(torch.utils.data.IterableDataset):  # type: ignore[misc]
        def __iter__(self) -> Iterator[Any]:
            worker = torch.utils.data.get_worker_info()
            own = paths[worker.id :: worker.num_workers] if worker else paths
            buffer: list[bytes] = []
            while True:
                for path in own:
                    for record in records(path):
                        if not training:
                            yield self.parse(record)
                        elif len(buffer) < SHUFFLED:
                            buffer.append(record)
                        else:
                            place = random.randrange(SHUFFLED)
                            chosen, buffer[place] = buffer[place], record
                            yield self.parse(chosen)
                if not training:
                    return

        def parse(self, record: bytes) -> Any:
            feature = Example.FromString(record).features.feature
            label = np.int32(feature["y"].int64_list.value[0])
            if kind == "tokens":
                return np.array(feature["x"].int64_list.value, np.float32), label
            (image,) = feature["x"].bytes_list.value
            pixels = np.frombuffer(image, np.uint8).astype(np.float32) / 255.0
            return pixels.reshape(28, 28, 1), label

    loader = torch.utils.data.DataLoader(
        Examples(), batch_size=BATCH, num_workers=2 if training else 0
    )
    for x, y in loader:
        yield x.numpy(), y.numpy()
