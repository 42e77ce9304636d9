"""Files of records and messages, altered at random: typed errors only, little memory.

Each altered file has a seed, which the message of a failure has.  More are read with
``TPUREF_ALTERED=1000 pytest tests/data/test_altered_records.py``.
"""

import gzip
import os
import random
import struct
import tracemalloc
import zlib

import tpuref as tf
from tpuref.interface.files.records import framed
from tpuref.kernels import checksum

from .elements import example

COUNT = int(os.environ.get("TPUREF_ALTERED", "300"))
MEMORY = 64 << 20
PACK = {"": bytes, "GZIP": gzip.compress, "ZLIB": zlib.compress}
FEATURES = {
    "text": tf.VarLenFeature(tf.string),
    "number": tf.FixedLenFeature([2], tf.float32, [0.0, 1.0]),
    "row": tf.FixedLenSequenceFeature([2], tf.int64, allow_missing=True),
}


EXAMPLE = example(text=[b"a", b"bc"], number=[1.0, 2.0], row=[1, -2, 3, 2**40])
LOSS = tf.Summary.Value(tag="loss", simple_value=1.5)
EVENT = tf.Event(step=7, summary=tf.Summary(value=[LOSS])).SerializeToString()


def altered(drawing, content):
    """Change, cut, repeat or insert bytes."""
    result = bytearray(content)
    for _ in range(drawing.randint(1, 4)):
        at = drawing.randrange(len(result) + 1)
        kind = drawing.randrange(5)
        if kind == 0 and at < len(result):
            result[at] ^= 1 << drawing.randrange(8)
        elif kind == 1:
            result[at:at] = drawing.randbytes(drawing.randint(1, 12))
        elif kind == 2:
            del result[at : at + drawing.randint(1, 20)]
        elif kind == 3:
            result[at:at] = result[at : at + drawing.randint(1, 40)]
        else:
            result[at : at + 8] = struct.pack("<Q", 1 << drawing.randrange(64))
    return bytes(result)


def false_length(drawing, content):
    """Put a wrong length with the right checksum before a record."""
    length = struct.pack("<Q", drawing.getrandbits(drawing.randint(1, 64)))
    return length + struct.pack("<I", checksum.masked_crc32c(length)) + content


def file_of(drawing, message):
    """Return a file that is altered in the message, the frame or the packing."""
    compression = drawing.choice(list(PACK))
    where = drawing.randrange(4)
    if where == 0:
        message = altered(drawing, message)
    content = b"".join(framed(part) for part in (message, b"", message))
    if where == 1:
        content = altered(drawing, content)
    elif where == 2:
        content = false_length(drawing, content)
    packed = PACK[compression](content)
    return altered(drawing, packed) if where == 3 else packed, compression


def read_examples(path, compression):
    with tf.Graph().as_default(), tf.Session() as session:
        records = tf.data.TFRecordDataset(path, compression)
        parsed = records.map(lambda text: tf.parse_single_example(text, FEATURES))
        element = parsed.make_one_shot_iterator().get_next()
        while True:
            session.run(element)


def read_batch(path, compression):
    records = list(tf.python_io.tf_record_iterator(path, compression))
    with tf.Graph().as_default(), tf.Session() as session:
        session.run(tf.parse_example(tf.constant(records, tf.string), FEATURES))


def read_events(path, compression):
    content = list(tf.python_io.tf_record_iterator(path, compression))
    with tf.python_io.TFRecordWriter(path) as writer:  # event files are not packed
        for record in content:
            writer.write(record)
    for found in tf.train.summary_iterator(path):
        assert found.step is not None


READERS = ((EXAMPLE, read_examples), (EXAMPLE, read_batch), (EVENT, read_events))


def fault_of(seed, path):
    """Read the file of a seed; return what is wrong with the error, if something is."""
    message, read = READERS[seed % len(READERS)]
    content, compression = file_of(random.Random(seed), message)
    path.write_bytes(content)
    tracemalloc.reset_peak()
    before = tracemalloc.get_traced_memory()[0]
    try:
        read(str(path), compression)
    except tf.errors.OpError as error:
        if "TPUREF-E" not in str(error):
            return f"seed {seed}: no code: {error}"
    except Exception as error:
        return f"seed {seed}: {type(error).__name__}: {error}"
    taken = tracemalloc.get_traced_memory()[1] - before
    return f"seed {seed}: {taken} bytes" if taken > MEMORY else None


def test_altered_files_raise_typed_errors(tmp_path):
    tracemalloc.start()
    try:
        found = [fault_of(seed, tmp_path / "a") for seed in range(COUNT)]
    finally:
        tracemalloc.stop()
    faults = [fault for fault in found if fault]
    assert not faults, f"{len(faults)} of {COUNT}:\n" + "\n".join(faults[:20])
