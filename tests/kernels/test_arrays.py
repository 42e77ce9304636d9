"""split, join and pad_to on whole arrays, over each twin."""

import itertools

import ml_dtypes
import numpy as np
import pytest

from tpuref.kernels import arrays

pytestmark = pytest.mark.usefixtures("use_kernels")

DTYPES = [
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "float32", "float64", "complex64", "complex128", "S3", "U2"),
    ml_dtypes.bfloat16,
]


def random_array(shape, dtype, seed=0):
    """Random bits, but for those dtypes in which not every pattern is a value."""
    dtype = np.dtype(dtype)
    rng = np.random.default_rng(seed)
    if dtype.kind in "bSU":
        return rng.integers(0, 2, shape).astype(dtype)
    raw = rng.integers(0, 256, (*shape, dtype.itemsize), np.uint8)
    return raw.view(dtype).reshape(shape)


def assert_same(actual, expected):
    """Equal to the bit, of the same dtype, contiguous, and with memory of its own."""
    assert (actual.dtype, actual.shape) == (expected.dtype, expected.shape)
    assert actual.tobytes() == expected.tobytes()
    assert actual.flags.c_contiguous and actual.flags.writeable


def check_split(array, axis, number):
    """Split an array and join it again, as NumPy does."""
    expected = np.split(array, number, axis)
    for part, wanted in zip(arrays.split(array, axis, number), expected, strict=True):
        assert_same(part, wanted)
    assert_same(arrays.join(expected, axis), np.ascontiguousarray(array))


LAYOUTS = {
    "contiguous": lambda array: array,
    "fortran": np.asfortranarray,
    "transposed": lambda array: array.T,
    "reversed": lambda array: array[::-1],
    "every second": lambda array: array[..., ::2],
    "broadcast": lambda array: np.broadcast_to(array, (2, *array.shape)),
}


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_every_dtype(dtype):
    array = random_array((3, 4, 5), dtype)
    check_split(array, 1, 2)
    padded = np.zeros((4, 4, 7), dtype)
    padded[:3, :, :5] = array
    assert_same(arrays.pad_to(array, (4, 4, 7)), padded)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", ["int32", ml_dtypes.bfloat16], ids=str)
def test_every_layout(layout, dtype):
    array = LAYOUTS[layout](random_array((6, 4, 6), dtype))
    for axis in range(array.ndim):
        check_split(array, axis, array.shape[axis])
    larger = tuple(extent + 1 for extent in array.shape)
    padded = np.pad(np.ascontiguousarray(array), [(0, 1)] * array.ndim)
    assert_same(arrays.pad_to(array, larger), padded)


@pytest.mark.parametrize("rank", range(1, 7))
def test_every_axis_of_every_rank(rank):
    rng = np.random.default_rng(rank)
    for axis, num_shards in itertools.product(range(-rank, rank), (1, 2, 3)):
        shape = list(map(int, rng.integers(1, 4, rank)))
        shape[axis] = num_shards * int(rng.integers(0, 4))
        check_split(random_array(shape, np.float32), axis, num_shards)


@pytest.mark.parametrize("length", [0, 1, 3, 4097, 1 << 20])
def test_every_length(length):
    array = random_array((length,), np.float64)
    check_split(array, 0, 1)
    padded = arrays.pad_to(array, (length + 5,))
    assert_same(padded, np.concatenate([array, np.zeros(5)]))


@pytest.mark.parametrize("dtype", [ml_dtypes.bfloat16, "object"], ids=str)
def test_scalars_are_padded_to_themselves(dtype):
    array = np.array(1.5, dtype)
    result = arrays.pad_to(array, ())
    assert (result.dtype, result.shape) == (array.dtype, ())
    assert result == array


def test_results_share_no_memory_with_their_inputs():
    array = np.zeros((4, 4), np.int32)
    results = [
        *arrays.split(array, 0, 1),
        arrays.join([array], 0),
        arrays.pad_to(array, array.shape),
    ]
    assert not any(np.shares_memory(array, result) for result in results)


def test_arrays_of_objects():
    array = np.array([[b"a", b"bc"], [b"", b"d"]], object)
    parts = arrays.split(array, 1, 2)
    assert [part.tolist() for part in parts] == [[[b"a"], [b""]], [[b"bc"], [b"d"]]]
    assert not np.shares_memory(array, parts[0])
    assert arrays.join(parts, 1).tolist() == array.tolist()
    padded = arrays.pad_to(array, (2, 3))
    assert padded.tolist() == [[b"a", b"bc", b""], [b"", b"d", b""]]


def test_arrays_of_different_sizes_are_joined():
    first, second = random_array((2, 1), np.int16), random_array((2, 3), np.int16)
    assert_same(arrays.join([first, second], -1), np.concatenate([first, second], 1))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: arrays.split(x, 2, 2), r"split: expected an axis from -2 to 1"),
        (lambda x: arrays.split(x, -3, 2), r"rank 2, got -3"),
        (lambda x: arrays.split(x, 1, 2), r"size 3, which 2 shards cannot share"),
        (lambda x: arrays.split(x, 0, 0), r"which 0 shards cannot share"),
        (lambda x: arrays.split(x, 0, -2), r"which -2 shards cannot share"),
        (lambda x: arrays.join([], 0), r"one array or more, got none"),
        (lambda x: arrays.join([x], 2), r"join: expected an axis"),
        (lambda x: arrays.join([x, x[:, :1]], 0), r"dimensions"),
        (lambda x: arrays.pad_to(x, (4,)), r"pad_to\(array_shape=\(2, 3\).*rank"),
        (lambda x: arrays.pad_to(x, (4, 2)), r"shape=\(4, 2\)\): the unpadded shape"),
        (lambda x: arrays.pad_to(x, (2, -1)), r"is negative|negative dim"),
    ],
)
@pytest.mark.parametrize("dtype", ["int32", "object"])
def test_wrong_arguments(call, message, dtype):
    with pytest.raises(ValueError, match=message):
        call(np.zeros((2, 3), dtype))


def test_dtypes_are_not_mixed():
    with pytest.raises(TypeError, match=r"expected one dtype, got .*int32.*float32"):
        arrays.join([np.zeros(1, np.int32), np.zeros(1, np.float32)], 0)
