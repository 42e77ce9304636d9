"""Files of records: what is written is read, and damage is seen."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tpuref as tf
from tpuref.base import error_codes as codes

Kind = tf.python_io.TFRecordCompressionType
RECORDS = [b"", b"one", np.random.default_rng(3).bytes(100_000), b"last"]
UNPACK = {"": bytes, "GZIP": gzip.decompress, "ZLIB": zlib.decompress}


def written(path: Path, options: Any = None) -> str:
    with tf.python_io.TFRecordWriter(str(path), options) as writer:
        for record in RECORDS:
            writer.write(record)
            writer.flush()
    return str(path)


@pytest.mark.parametrize("compression", list(UNPACK))
def test_records_come_back(compression: str, tmp_path: Path) -> None:
    options = tf.python_io.TFRecordOptions(compression)
    path = written(tmp_path / "a", options)
    assert list(tf.python_io.tf_record_iterator(path, options)) == RECORDS
    dataset = tf.data.TFRecordDataset([path, path], compression)
    assert list(map(bytes, dataset.as_numpy_iterator())) == 2 * RECORDS
    plain = Path(written(tmp_path / "b")).read_bytes()
    assert UNPACK[compression](Path(path).read_bytes()) == plain


def test_the_bytes_of_a_record(tmp_path: Path) -> None:
    """As TensorFlow 1.15.5 writes the record ``abc``."""
    with tf.io.TFRecordWriter(tmp_path / "a") as writer:
        writer.write(b"abc")
    expected = bytes.fromhex("0300000000000000 b099490e 616263 6e57f121")
    assert (tmp_path / "a").read_bytes() == expected


@pytest.mark.parametrize("at", [3, 9, 14, -1])
def test_damage_is_seen(at: int, tmp_path: Path) -> None:
    path = written(tmp_path / "a", Kind.NONE)
    content = bytearray(Path(path).read_bytes())
    content[at] ^= 1
    Path(path).write_bytes(content)
    with pytest.raises(tf.errors.DataLossError, match=codes.DAMAGED_RECORDS):
        list(tf.python_io.tf_record_iterator(path))
    Path(path).write_bytes(content[:-3])
    with pytest.raises(tf.errors.DataLossError):
        list(tf.data.TFRecordDataset(path).as_numpy_iterator())


def test_compression_has_to_be_named(tmp_path: Path) -> None:
    path = written(tmp_path / "a", "GZIP")
    with pytest.raises(tf.errors.DataLossError, match="compression_type='GZIP'"):
        list(tf.python_io.tf_record_iterator(path))
    for wrong in ("GZIP", "ZLIB"):
        with pytest.raises(tf.errors.DataLossError):
            list(tf.python_io.tf_record_iterator(written(tmp_path / "b"), wrong))
    with pytest.raises(ValueError, match="'', 'ZLIB' or 'GZIP', got 'zip'"):
        tf.python_io.TFRecordOptions("zip")


def test_paths_of_a_dataset_and_of_a_tensor(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1\r\n2\n")
    (tmp_path / "b").write_text("3")
    paths = [str(tmp_path / "a"), str(tmp_path / "b")]
    dataset = tf.data.TextLineDataset(tf.data.Dataset.from_tensor_slices(paths))
    assert list(map(bytes, dataset.as_numpy_iterator())) == [b"1", b"2", b"3"]
    (tmp_path / "c").write_bytes(b"headabcdefgfoot")
    chosen = tf.placeholder(tf.string, [])
    rows = tf.data.FixedLengthRecordDataset(chosen, 3, 4, 4)
    iterator = rows.make_initializable_iterator()
    element = iterator.get_next()
    with tf.Session() as sess:
        sess.run(iterator.initializer, {chosen: str(tmp_path / "c")})
        assert [sess.run(element) for _ in range(2)] == [b"abc", b"def"]
        with pytest.raises(tf.errors.OutOfRangeError):
            sess.run(element)
    with pytest.raises(TypeError, match="filenames must be paths"):
        tf.data.TFRecordDataset([1])


def test_a_missing_file(tmp_path: Path) -> None:
    gone = tf.data.TFRecordDataset(str(tmp_path / "gone"))
    with pytest.raises(tf.errors.NotFoundError):
        list(gone.as_numpy_iterator())
