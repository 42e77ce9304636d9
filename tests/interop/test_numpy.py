"""NumPy's protocols, and DLPack between tpuref and NumPy."""

import ml_dtypes
import numpy as np
import pytest

import tpuref as tf
from tpuref.base import dlpack

PATTERNS = np.arange(1 << 16, dtype=np.uint16)
READ_ONLY = np.lib.NumpyVersion(np.__version__) >= "2.1.0"


class Array:
    """An array of some library that knows nothing but DLPack."""

    def __init__(self, array, device=(1, 0)):
        self._array = array
        self._device = device

    def __dlpack__(self, **wanted):
        return dlpack.exported(self._array, **wanted)

    def __dlpack_device__(self):
        return self._device


def address(array):
    return int(array.__array_interface__["data"][0])


def test_an_eager_tensor_becomes_an_array_of_its_own(eager):
    x = tf.constant([1.0, 2.0])
    np.asarray(x)[0] = 9.0
    assert x.numpy().tolist() == [1.0, 2.0]
    assert np.asarray(x, np.float64).dtype == np.float64
    assert x.__array__(copy=True).flags.writeable
    shared = x.__array__(copy=False)
    assert address(shared) == address(x.array)
    with pytest.raises(ValueError, match="read-only"):
        shared[0] = 9.0
    with pytest.raises(ValueError, match="cannot become an array of float64 without"):
        x.__array__(np.float64, copy=False)


def test_numpy_functions_give_tensors(eager):
    x = tf.constant([[1.0, 2.0]])
    assert isinstance(np.add(x, 1), tf.Tensor)
    assert np.concatenate([x, x]).numpy().tolist() == [[1.0, 2.0]] * 2
    assert memoryview(x.numpy()).tolist() == [[1.0, 2.0]]


@pytest.mark.parametrize(
    "value",
    [
        np.arange(6, dtype=np.int64).reshape(2, 3),
        np.array([True, False]),
        np.array(2.5, np.float16),
        np.zeros((0, 3), np.complex64),
        np.arange(8, dtype=np.float32)[::2],
    ],
    ids=lambda value: value.dtype.name,
)
def test_numpy_takes_the_memory_of_a_tensor(value, eager):
    x = tf.constant(value)
    assert x.__dlpack_device__() == (1, 0)
    taken = np.from_dlpack(x)
    assert taken.dtype == value.dtype and taken.shape == value.shape
    assert np.array_equal(taken, value)
    assert value.size == 0 or address(taken) == address(x.array)
    assert not taken.flags.writeable


def test_what_a_consumer_may_ask_for(eager):
    x = tf.constant([1.0, 2.0])
    copied = np.from_dlpack(dlpack.Producer(x.__dlpack__(copy=True)))
    assert address(copied) != address(x.array)
    with pytest.raises(BufferError, match="not on device"):
        x.__dlpack__(dl_device=(2, 0))
    x.array.flags.writeable = False
    old = x.__dlpack__()  # a consumer that does not understand "read-only"
    assert address(np.from_dlpack(dlpack.Producer(old))) != address(x.array)
    with pytest.raises(BufferError, match="read-only"):
        x.__dlpack__(copy=False)
    if READ_ONLY:
        assert address(np.from_dlpack(x)) == address(x.array)


def test_what_has_no_capsule():
    symbolic = tf.placeholder(tf.float32, [2])
    with pytest.raises(BufferError, match="symbolic tensor .*Session"):
        np.from_dlpack(symbolic)


def test_components_of_a_strategy(strategy_of):
    strategy = strategy_of(2)
    with tf.eager_execution(), strategy.scope():
        each = strategy.call_for_each_tower(lambda: tf.constant([1.0, 2.0]))
        total = strategy.reduce(tf.VariableAggregation.SUM, each, "/cpu:0")
        assert np.from_dlpack(total).tolist() == [2.0, 4.0]
        parts = strategy.unwrap(each)
        assert np.from_dlpack(parts[1]).tolist() == [1.0, 2.0]
        with pytest.raises(BufferError, match="2 components.*unwrap"):
            np.from_dlpack(each)
        one = tf.contrib.distribute.PerDevice({"/cpu:0": parts[0]})
        assert address(np.from_dlpack(one)) == address(parts[0].array)


def test_arrays_that_know_dlpack_alone(session):
    foreign = Array(np.array([1.0, 2.0]))
    assert session.run(tf.convert_to_tensor(foreign)).tolist() == [1.0, 2.0]
    assert session.run(tf.convert_to_tensor([foreign] * 2)).shape == (2, 2)
    x = tf.placeholder(tf.float64, [2])
    assert session.run(x * 2.0, {x: foreign}).tolist() == [2.0, 4.0]
    rows = tf.data.Dataset.from_tensor_slices(foreign).make_one_shot_iterator()
    assert session.run(rows.get_next()) == 1.0


def test_an_array_on_another_device(session):
    elsewhere = Array(np.zeros(2), device=(2, 0))
    x = tf.placeholder(tf.float64, [2])
    with pytest.raises(TypeError, match=r"cannot feed .*Array cannot be read"):
        session.run(x, {x: elsewhere})
    pinned = Array(np.zeros(2, ml_dtypes.bfloat16), device=(3, 0))
    assert tf.convert_to_tensor(pinned).dtype == tf.bfloat16


@pytest.mark.parametrize("version", [None, (1, 0)])
def test_every_bfloat16_goes_through_dlpack(version):
    array = PATTERNS.view(ml_dtypes.bfloat16)
    back = dlpack.taken(dlpack.exported(array, max_version=version))
    assert back.dtype == tf.bfloat16.as_numpy_dtype
    assert np.array_equal(back.view(np.uint16), PATTERNS)
    assert address(back) == address(array)


def test_every_bfloat16_goes_through_a_computation(executor, session):
    x = tf.placeholder(tf.bfloat16, [1 << 16])
    (out,) = tf.tpu.rewrite(tf.identity, [x])
    values = session.run(out, {x: Array(PATTERNS.view(ml_dtypes.bfloat16))})
    assert np.array_equal(values.view(np.uint16), PATTERNS)


def test_text_types_of_numpy_are_no_element_types():
    if READ_ONLY:  # as old as these
        assert tf.float32 != np.dtypes.StringDType()
