"""Checks of tf.data and tf.io as TensorFlow 2 programs use them to read records."""

import contextlib
import os
import tempfile

import numpy as np

from ..clause import clause, expect_raises, same
from ..probes import version_2, with_optional_packages


def numbers(dataset):
    return [np.array(element).tolist() for element in dataset]


@contextlib.contextmanager
def records(tf, messages):
    """Yield the path of a file with these records."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.tfrecord")
        with tf.io.TFRecordWriter(path) as writer:
            for message in messages:
                writer.write(message)
        yield path


@clause("tf.data.Dataset/behaviour/later-methods")
def methods_of_datasets(tf):
    with version_2(tf) as tf:
        made = tf.data.Dataset.range(4, output_type=tf.int32)
        same(numbers(made), [0, 1, 2, 3])
        assert made.element_spec == tf.TensorSpec([], tf.int32), made.element_spec
        same(numbers(made.apply(lambda dataset: dataset.take(2))), [0, 1])
        same(numbers(made.map(lambda x: x * 2, tf.data.AUTOTUNE)), [0, 2, 4, 6])
        same(numbers(made.prefetch(tf.data.experimental.AUTOTUNE)), [0, 1, 2, 3])
        interleaved = made.interleave(
            lambda x: tf.data.Dataset.from_tensors(x).repeat(2), cycle_length=2
        )
        same(numbers(interleaved), [0, 1, 0, 1, 2, 3, 2, 3])


@clause("tf.data.Dataset.cache/behaviour/once")
def cached(tf):
    with version_2(tf) as tf:
        drawn = []

        def elements():
            drawn.append(1)
            for number in (1, 2, 3):
                yield number

        dataset = tf.data.Dataset.from_generator(elements, tf.int32).cache()
        same([numbers(dataset) for _ in range(2)], [[1, 2, 3]] * 2)
        same(len(drawn), 1)


@clause("tf.data.Options/behaviour/with-options")
def options(tf):
    with version_2(tf) as tf:
        wanted = tf.data.Options()
        off = tf.data.experimental.AutoShardPolicy.OFF
        wanted.experimental_distribute.auto_shard_policy = off
        same(numbers(tf.data.Dataset.range(3).with_options(wanted)), [0, 1, 2])


@clause("tf.data.TFRecordDataset/behaviour/files")
def record_files(tf):
    with version_2(tf) as tf:
        for kind in ("", "GZIP"):
            with tempfile.TemporaryDirectory() as folder:
                paths = [os.path.join(folder, name) for name in ("a", "b")]
                for path in paths:
                    with tf.io.TFRecordWriter(path, kind) as writer:
                        writer.write(path[-1].encode() * 3)
                        writer.write(b"")
                read = tf.data.TFRecordDataset(paths, compression_type=kind)
                same([x.numpy() for x in read], [b"aaa", b"", b"bbb", b""])
                if kind:
                    continue
                with open(paths[0], "rb+") as damaged:
                    damaged.truncate(os.path.getsize(paths[0]) - 3)
                broken = tf.data.TFRecordDataset(paths[0])
                expect_raises((tf.errors.DataLossError,), list, broken)


def example(tf):
    Feature = tf.train.Feature
    return tf.train.Example(
        features=tf.train.Features(
            feature={
                "image": Feature(bytes_list=tf.train.BytesList(value=[b"\1\2\3"])),
                "label": Feature(int64_list=tf.train.Int64List(value=[-7])),
                "box": Feature(float_list=tf.train.FloatList(value=[0.5, 1.5])),
            }
        )
    )


@clause("tf.train.Example/behaviour/bytes")
@with_optional_packages()
def example_as_bytes(tf):
    with version_2(tf) as tf:
        message = example(tf).SerializeToString()
        feature = tf.train.Example.FromString(message).features.feature
        same(list(feature["box"].float_list.value), [0.5, 1.5])
        same(list(feature["label"].int64_list.value), [-7])
        same(list(feature["image"].bytes_list.value), [b"\1\2\3"])
        # field 1 of each message, its entries in any order
        entry = b"\n\x05label\x12\x0e\x1a\x0c\n\n\xf9" + b"\xff" * 8 + b"\x01"
        assert entry in message, message


@clause("tf.io.parse_single_example/behaviour/features")
@with_optional_packages()
def parsed_example(tf):
    with version_2(tf) as tf:
        wanted = {
            "image": tf.io.FixedLenFeature([], tf.string),
            "label": tf.io.FixedLenFeature([1], tf.int64),
            "box": tf.io.VarLenFeature(tf.float32),
            "weight": tf.io.FixedLenFeature([2], tf.float32, default_value=[1.0, 2.0]),
        }
        message = example(tf).SerializeToString()
        with records(tf, [message] * 2) as path:
            read = tf.data.TFRecordDataset(path)
            examples = list(read.map(lambda x: tf.io.parse_single_example(x, wanted)))
        same(len(examples), 2)
        same(examples[1]["label"].numpy(), np.int64([-7]))
        same(examples[1]["weight"].numpy(), [1.0, 2.0])
        same(tf.sparse.to_dense(examples[1]["box"]).numpy(), [0.5, 1.5])
        raw = tf.io.decode_raw(examples[1]["image"], tf.uint8)
        same(raw.numpy(), np.uint8([1, 2, 3]))
        batch = tf.io.parse_example(tf.constant([message] * 2), wanted)
        same(batch["label"].numpy(), np.int64([[-7], [-7]]))
        same(tf.sparse.to_dense(batch["box"]).numpy(), [[0.5, 1.5]] * 2)


@clause("tf.io.parse_single_example/raises/missing-feature")
@with_optional_packages()
def missing_feature(tf):
    with version_2(tf) as tf:
        expect_raises(
            tf.errors.InvalidArgumentError,
            tf.io.parse_single_example,
            example(tf).SerializeToString(),
            {"weight": tf.io.FixedLenFeature([2], tf.float32)},
        )


@clause("tf.io.gfile/behaviour/files")
def files(tf):
    with tempfile.TemporaryDirectory() as folder, version_2(tf) as tf:
        gfile, inner = tf.io.gfile, os.path.join(folder, "a", "b")
        gfile.makedirs(inner)
        path = os.path.join(inner, "x.txt")
        with gfile.GFile(path, "w") as file:
            file.write("one\ntwo\n")
        with gfile.GFile(path) as file:
            same(list(file), ["one\n", "two\n"])
        with gfile.GFile(path, "rb") as file:
            same(file.read(3), b"one")
        same((gfile.exists(path), gfile.isdir(inner)), (True, True))
        same(gfile.stat(path).length, 8)
        same([os.path.basename(p) for p in gfile.glob(inner + "/*.txt")], ["x.txt"])
        gfile.copy(path, path + "2")
        expect_raises(tf.errors.AlreadyExistsError, gfile.copy, path, path + "2")
        gfile.rename(path + "2", os.path.join(inner, "y"))
        same(sorted(gfile.listdir(inner)), ["x.txt", "y"])
        gfile.remove(path)
        expect_raises(tf.errors.NotFoundError, gfile.remove, path)
        gfile.rmtree(os.path.join(folder, "a"))
        same(gfile.exists(inner), False)


@clause("tf.TensorArray/behaviour/loop")
def tensor_array(tf):
    with version_2(tf) as tf:

        @tf.function
        def powers(x):
            array = tf.TensorArray(tf.float32, size=3)
            for k in range(3):
                array = array.write(k, x**k)
            return array.stack()

        same(powers(tf.constant(2.0)).numpy(), [1.0, 2.0, 4.0])
