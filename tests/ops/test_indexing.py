"""Operations that read or write elements by position, against NumPy's own indexing."""

import ml_dtypes
import numpy as np
import pytest

from tpuref.base.errors import InvalidArgumentError
from tpuref.base.shapes import TensorShape

from .records import infer, ints, known, run, value

CUBE = np.arange(60).reshape(3, 4, 5)


def whole(start=None, stop=None, step=None):
    return ("slice", start, stop, step)


def test_subscripts_take_the_values_of_inputs():
    key = (("index", ("input", 1)), whole(("input", 0), None, ("input", 2)))
    got = run("StridedSlice", CUBE, 1, -1, 2, key=key)
    np.testing.assert_array_equal(got, CUBE[-1, 1::2])


def test_a_single_text_stays_an_array():
    got = run("StridedSlice", np.array([b"a", b"b"], object), key=(("index", 1),))
    assert got.dtype == object and got.tolist() == b"b"


@pytest.mark.parametrize(
    ("shape", "key", "expected"),
    [
        ([None, 4], (("index", 0),), [4]),
        ([None, 4], (whole(1, 3),), [None, 4]),
        ([None, 4], (whole(2, 2),), [0, 4]),
        ([None, 4], (("ellipsis",), whole(1, None, 2), ("newaxis",)), [None, 2, 1]),
        ([5, 4], (whole(("input", 0)),), [None, 4]),
        ([5, 4], (("index", ("input", 0)),), [4]),
        (None, (("index", 0),), None),
    ],
)
def test_static_shapes_of_subscripts(shape, key, expected):
    bounds = [known([], "int32")] if "input" in str(key) else []
    spec = infer("StridedSlice", known(shape), *bounds, key=key)
    assert spec.shape == TensorShape(expected)


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ((("index", 3),), "index 3 is out of range for axis 0 of size 3"),
        ((("newaxis",), whole(), ("index", -5)), "index -5 .* axis 1 of size 4"),
        ((whole(None, None, 0),), "step of a slice is 0"),
        ((("index", 0),) * 4, "too many indices: 4 for rank 3"),
    ],
)
def test_wrong_subscripts_fail_when_built_and_when_run(key, message):
    with pytest.raises(ValueError, match=message):
        infer("StridedSlice", known([3, 4, 5]), key=key)
    with pytest.raises(InvalidArgumentError, match=message):
        run("StridedSlice", CUBE, key=key)


INDICES, SQUARE = known([2], "int32"), known([3, 3])


@pytest.mark.parametrize(
    ("name", "operands", "attrs", "message"),
    [
        ("StridedSlice", [known([3]), INDICES], {"key": (("index", ("input", 0)),)},
         r"rank 0, got int32\[2\]"),
        ("Slice", [SQUARE, *[known([1], "int32")] * 2], {}, "one number for each axis"),
        ("GatherV2", [SQUARE, SQUARE], {"axis": 1, "batch_dims": -1}, "batch_dims -1"),
        ("GatherV2", [SQUARE, SQUARE], {"axis": 1, "batch_dims": 2}, "batch_dims 2"),
        ("GatherV2", [SQUARE, INDICES], {"axis": 1, "batch_dims": 1}, "first 1 dimens"),
        ("GatherNd", [INDICES, SQUARE], {"batch_dims": 0}, "positions of 3 numbers"),
        ("GatherNd", [INDICES, INDICES], {"batch_dims": -1}, "batch_dims: expected 0"),
        ("GatherNd", [SQUARE, known([2, 1], "int32")], {"batch_dims": 1},
         "first 1 dimensions"),
        ("TakeAlongAxis", [SQUARE, INDICES], {"axis": 0}, "expected equal ranks"),
        ("ScatterNd", [known([4, 1], "int32"), known([4]), value(ints(5, 3))], {},
         r"expected shape \(4, 3\)"),
    ],
)  # fmt: skip
def test_operands_that_do_not_fit(name, operands, attrs, message):
    if name.startswith("Gather") and operands[-1] is SQUARE:
        operands = [operands[0], known([3, 3], "int32")]
    with pytest.raises(ValueError, match=message):
        infer(name, *operands, **attrs)


def test_slice_knows_its_sizes_without_its_place():
    size = known([2], "int32", ints(2, -1))
    spec = infer("Slice", known([None, 4]), known([2], "int32"), size)
    assert spec.shape.as_list() == [2, None]


@pytest.mark.parametrize(
    ("begin", "size", "message"),
    [
        (ints(1), ints(3), "lead beyond the size 3"),
        (ints(-1), ints(1), "begin -1"),
        (ints(0), ints(-2), "size -2"),
    ],
)
def test_slice_refuses_what_lies_outside(begin, size, message):
    given = [known([1], "int32", begin), known([1], "int32", size)]
    with pytest.raises(ValueError, match=message):
        infer("Slice", known([3]), *given)
    with pytest.raises(InvalidArgumentError, match=message):
        run("Slice", np.ones(3), begin, size)


@pytest.mark.parametrize("wrong", [4, -1])
def test_gather_names_the_index_that_is_out_of_range(wrong):
    message = rf"indices\[1, 0\] is {wrong}, .* size 4"
    with pytest.raises(InvalidArgumentError, match=message):
        run("GatherV2", CUBE, ints((0,), (wrong,)), axis=1, batch_dims=0)


def test_scattered_updates_of_one_position_add_up_in_float32():
    got = run("ScatterNd", ints((1,), (3,), (1,)), np.array([5, 6, 7]), ints(4))
    assert got.tolist() == [0, 12, 0, 6]
    ones = np.ones(512, ml_dtypes.bfloat16)
    got = run("ScatterNd", np.zeros((512, 1), np.int32), ones, ints(1))
    assert got.dtype == ml_dtypes.bfloat16 and float(got[0]) == 512


def test_scattering_into_a_tensor_leaves_the_tensor_as_it_is():
    tensor = np.asfortranarray(np.zeros((2, 3)))
    positions, updates = ints((1, 2), (0, 0), (1, 2)), np.array([1.0, 2.0, 4.0])
    for kind, expected in (
        ("Update", [[2, 0, 0], [0, 0, 4]]),
        ("Add", [[2, 0, 0], [0, 0, 5]]),
        ("Sub", [[-2, 0, 0], [0, 0, -5]]),
    ):
        found = run(f"TensorScatter{kind}", tensor, positions, updates)
        assert found.tolist() == expected
        with pytest.raises(InvalidArgumentError, match=r"expected shape \(2, 4, 5\)"):
            run(f"TensorScatter{kind}", CUBE, ints((0,), (1,)), CUBE[:1])
    assert not tensor.any()


def test_batches_of_positions_have_to_agree_in_a_run():
    with pytest.raises(InvalidArgumentError, match="first 1 dimensions"):
        run("GatherNd", CUBE, ints((0,)), batch_dims=1)
    with pytest.raises(InvalidArgumentError, match=r"int64\[3,4,5\], int32\[2,1\]"):
        run("GatherV2", CUBE, ints((0,), (0,)), axis=1, batch_dims=1)
