"""Files of records: what is written is read, and damage is seen."""

import gzip
import struct
import tracemalloc
import zlib
from pathlib import Path

import numpy as np
import pytest

import tpuref as tf
from tpuref.base import error_codes as codes
from tpuref.interface.files.records import framed
from tpuref.kernels import checksum

Kind = tf.python_io.TFRecordCompressionType
RECORDS = [b"", b"one", np.random.default_rng(3).bytes(100_000), b"last"]
UNPACK = {"": bytes, "GZIP": gzip.decompress, "ZLIB": zlib.decompress}
PACK = {"": bytes, "GZIP": gzip.compress, "ZLIB": zlib.compress}


@pytest.fixture
def little_memory():
    tracemalloc.start()
    yield
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 64 << 20


def written(path, options=None):
    with tf.python_io.TFRecordWriter(str(path), options) as writer:
        for record in RECORDS:
            writer.write(record)
            writer.flush()
    return str(path)


@pytest.mark.parametrize("compression", list(UNPACK))
def test_records_come_back(compression, tmp_path):
    options = tf.python_io.TFRecordOptions(compression)
    path = written(tmp_path / "a", options)
    assert list(tf.python_io.tf_record_iterator(path, options)) == RECORDS
    dataset = tf.data.TFRecordDataset([path, path], compression)
    assert list(map(bytes, dataset.as_numpy_iterator())) == 2 * RECORDS
    plain = Path(written(tmp_path / "b")).read_bytes()
    assert UNPACK[compression](Path(path).read_bytes()) == plain


def test_the_bytes_of_a_record(tmp_path):
    """As TensorFlow 1.15.5 writes the record ``abc``."""
    with tf.io.TFRecordWriter(tmp_path / "a") as writer:
        writer.write(b"abc")
    expected = bytes.fromhex("0300000000000000 b099490e 616263 6e57f121")
    assert (tmp_path / "a").read_bytes() == expected


@pytest.mark.parametrize("at", [3, 9, 14, -1])
def test_damage_is_seen(at, tmp_path):
    path = written(tmp_path / "a", Kind.NONE)
    content = bytearray(Path(path).read_bytes())
    content[at] ^= 1
    Path(path).write_bytes(content)
    with pytest.raises(tf.errors.DataLossError, match=codes.DAMAGED_FILE):
        list(tf.python_io.tf_record_iterator(path))
    Path(path).write_bytes(content[:-3])
    with pytest.raises(tf.errors.DataLossError):
        list(tf.data.TFRecordDataset(path).as_numpy_iterator())


def test_compression_has_to_be_named(tmp_path):
    path = written(tmp_path / "a", "GZIP")
    with pytest.raises(tf.errors.DataLossError, match="compression_type='GZIP'"):
        list(tf.python_io.tf_record_iterator(path))
    for wrong in ("GZIP", "ZLIB"):
        with pytest.raises(tf.errors.DataLossError):
            list(tf.python_io.tf_record_iterator(written(tmp_path / "b"), wrong))
    with pytest.raises(ValueError, match="'', 'ZLIB' or 'GZIP', got 'zip'"):
        tf.python_io.TFRecordOptions("zip")


def test_paths_of_a_dataset_and_of_a_tensor(tmp_path, session):
    (tmp_path / "a").write_text("1\r\n2\n")
    (tmp_path / "b").write_text("3")
    paths = [str(tmp_path / "a"), str(tmp_path / "b")]
    dataset = tf.data.TextLineDataset(tf.data.Dataset.from_tensor_slices(paths))
    assert list(map(bytes, dataset.as_numpy_iterator())) == [b"1", b"2", b"3"]
    (tmp_path / "c").write_bytes(b"headabcdeffoot")
    chosen = tf.placeholder(tf.string, [])
    rows = tf.data.FixedLengthRecordDataset(chosen, 3, 4, 4)
    iterator = rows.make_initializable_iterator()
    element = iterator.get_next()
    session.run(iterator.initializer, {chosen: str(tmp_path / "c")})
    assert [session.run(element) for _ in range(2)] == [b"abc", b"def"]
    with pytest.raises(tf.errors.OutOfRangeError):
        session.run(element)
    with pytest.raises(TypeError, match="filenames must be paths"):
        tf.data.TFRecordDataset([1])


def test_a_missing_file(tmp_path):
    gone = tf.data.TFRecordDataset(str(tmp_path / "gone"))
    with pytest.raises(tf.errors.NotFoundError):
        list(gone.as_numpy_iterator())


@pytest.mark.parametrize("compression", list(PACK))
@pytest.mark.parametrize("length", [2**36, 2**62, 2**63, 2**64 - 1])
def test_a_false_length_takes_no_memory(length, compression, tmp_path, little_memory):
    head = struct.pack("<Q", length)
    content = head + struct.pack("<I", checksum.masked_crc32c(head)) + b"x" * 100
    (tmp_path / "a").write_bytes(PACK[compression](content))
    with pytest.raises(tf.errors.DataLossError, match=codes.DAMAGED_FILE):
        list(tf.python_io.tf_record_iterator(tmp_path / "a", compression))


@pytest.mark.usefixtures("little_memory")
@pytest.mark.parametrize("compression", ["GZIP", "ZLIB"])
def test_compressed_records_are_unpacked_one_by_one(compression, tmp_path):
    with tf.python_io.TFRecordWriter(tmp_path / "a", compression) as writer:
        for _ in range(4):
            writer.write(b"")
            writer.write(bytes(20_000_000))  # more than is read at once
    records = tf.python_io.tf_record_iterator(tmp_path / "a", compression)
    assert [len(record) for record in records] == 4 * [0, 20_000_000]


@pytest.mark.parametrize(
    ("content", "records"),
    [
        (b"", []),
        (zlib.compress(framed(b"one")) + b"behind", [b"one"]),
        (zlib.compress(framed(b"one"))[:-2], None),
    ],
)
def test_the_end_of_a_zlib_file(content, records, tmp_path):
    """As in 1.15.5, but for the end that is missing, which it does not notice."""
    (tmp_path / "a").write_bytes(content)
    found = tf.python_io.tf_record_iterator(tmp_path / "a", "ZLIB")
    if records is None:
        with pytest.raises(tf.errors.DataLossError, match="the compressed data ends"):
            list(found)
    else:
        assert list(found) == records


@pytest.mark.parametrize(
    ("lengths", "kind", "message"),
    [
        ((0,), tf.errors.InvalidArgumentError, "record_bytes must be at least 1"),
        ((3, -1), tf.errors.InvalidArgumentError, "header_bytes must be at least 0"),
        ((3, 0, -1), tf.errors.InvalidArgumentError, "footer_bytes must be at least"),
        ((3,), tf.errors.InvalidArgumentError, "has 10 bytes .* expected a multiple"),
        ((3, 9, 9), tf.errors.InvalidArgumentError, "has -8 bytes"),
        (("a",), TypeError, "record_bytes: expected an integer, got 'a'"),
        ((2.5,), TypeError, "record_bytes: expected an integer, got 2.5"),
        ((None,), ValueError, "None has no tensor form"),
    ],
)
def test_lengths_that_do_not_fit(lengths, kind, message, tmp_path):
    """The classes of 1.15.5."""
    (tmp_path / "a").write_bytes(b"0123456789")
    make = tf.data.FixedLengthRecordDataset
    with pytest.raises(kind, match=message):
        list(make(str(tmp_path / "a"), *lengths).as_numpy_iterator())
