"""Features of serialized examples, against protobuf."""

import struct
from typing import Any

import numpy as np
import pytest

import tpuref as tf

from .conftest import kernels_of

DecodeError = pytest.importorskip(
    "google.protobuf.message", reason="needs the extra: tpuref"
).DecodeError

KINDS = {"bytes_list": 1, "float_list": 2, "int64_list": 3}
NAMES = ["image", "label", "weights", "größe", "missing", ""]


def random_example(rng):
    example = tf.train.Example()
    features = example.features.feature
    features["image"].bytes_list.value.extend(
        rng.bytes(int(size)) for size in rng.integers(0, 300, rng.integers(0, 3))
    )
    numbers = rng.integers(-(2**63), 2**63 - 1, rng.integers(0, 200))
    features["label"].int64_list.value.extend((numbers >> rng.integers(60)).tolist())
    reals = rng.normal(size=rng.integers(0, 9)).astype(np.float32)
    features["weights"].float_list.value.extend(reals.tolist())
    features["größe"].int64_list.value.append(int(rng.integers(-5, 5)))
    features["unset"].SetInParent()
    return example


def by_protobuf(record, names=NAMES):
    try:
        message = tf.train.Example.FromString(record)
    except DecodeError:
        return None
    found: list[Any] = []
    for name in names:
        feature = message.features.feature.get(name)
        kind = None if feature is None else feature.WhichOneof("kind")
        if kind is None:
            found.append(None)
            continue
        values = list(getattr(feature, kind).value)
        dtype = {"float_list": "<f4", "int64_list": "<i8"}.get(kind)
        raw = values if dtype is None else np.array(values, dtype).tobytes()
        found.append((KINDS[kind], raw))
    return found


def test_random_examples(kernels):
    rng = np.random.default_rng(1)
    names = [name.encode() for name in NAMES]
    for _ in range(60):
        record = random_example(rng).SerializeToString()
        assert kernels.examples.features(record, names) == by_protobuf(record)


def field(number, content):
    if isinstance(content, int):
        return bytes([number << 3, content])
    return bytes([number << 3 | 2, len(content)]) + content


def example_of(*features):
    return field(1, b"".join(field(1, feature) for feature in features))


@pytest.mark.parametrize(
    "record",
    [
        b"",
        example_of(field(1, b"label") + field(2, field(3, field(1, 7) + field(1, 8)))),
        example_of(
            field(1, b"weights")
            + field(2, field(2, b"\x0d" + struct.pack("<f", 1.5) + field(9, b"x")))
        ),
        example_of(  # a list in two parts, then a list of another kind
            field(1, b"label")
            + field(2, field(1, field(1, b"a")) + field(3, field(1, 1))
                    + field(3, field(1, b"\x02\x03"))),
        ),
        example_of(field(2, field(3, field(1, 4)))),  # the name is empty
        example_of(  # the value comes first; the last entry of a name counts
            field(2, field(3, field(1, 4))) + field(1, b"label"),
            field(1, b"label") + field(2, field(3, field(1, 5))),
        ),
        example_of(field(1, b"label")) + field(7, 3) + b"\x39" + bytes(8),
    ],
    ids=range(7),
)  # fmt: skip
def test_ways_to_write_an_example(kernels, record):
    names = [name.encode() for name in NAMES]
    assert kernels.examples.features(record, names) == by_protobuf(record)


def changes(rng, record, count):
    """Yield copies of a record in which two bytes were changed."""
    for _ in range(count):
        changed = bytearray(record)
        for place in rng.integers(0, len(record), 2):
            changed[place] = rng.integers(256)
        yield bytes(changed)


def test_damage(kernels):
    """Every shorter record, and random changes: the same, or refused like protobuf.

    Without the empty name: an entry whose key was changed into an unknown field has it
    here and in C++, while Python's protobuf drops the entry.
    """
    rng, asked = np.random.default_rng(2), NAMES[:-1]
    names = [name.encode() for name in asked]
    record = random_example(rng).SerializeToString(deterministic=True)
    for end in range(0, len(record), 7):
        part = record[:end]
        assert kernels.examples.features(part, names) == by_protobuf(part, asked)
    refused = 0
    for changed in changes(rng, record, 400):
        expected = by_protobuf(changed, asked)
        found = kernels.examples.features(changed, names)
        refused += found is None
        # Protobuf also checks what is in fields that it does not know.
        assert found == expected or expected is None or found is None
    assert refused


def test_the_twins_agree_on_damage(compiled):
    fast, plain = compiled.examples, kernels_of("python").examples
    rng, names = np.random.default_rng(3), [name.encode() for name in NAMES]
    for _ in range(40):
        for changed in changes(rng, random_example(rng).SerializeToString(), 20):
            assert fast.features(changed, names) == plain.features(changed, names)
