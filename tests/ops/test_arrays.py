"""Operations that make, reshape, join, split, repeat and select from arrays."""

import ml_dtypes
import numpy as np
import pytest

from tpuref.base.errors import InvalidArgumentError

from .records import infer, ints, known, run, value

CUBE = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
TEXT = np.array([b"a", b"bc", b""], object)


def test_text_goes_through_whole():
    assert run("Pack", TEXT, TEXT, axis=0).tolist() == [TEXT.tolist()] * 2
    assert run("Unpack", TEXT, axis=0, num=3)[1].dtype == object
    assert run("ZerosLike", TEXT).tolist() == [b""] * 3
    assert run("Split", TEXT, axis=0, sizes=(1, 2))[1].tolist() == [b"bc", b""]
    assert run("ConcatV2", TEXT, TEXT, axis=0).tolist() == TEXT.tolist() * 2


@pytest.mark.parametrize("dtype", [ml_dtypes.bfloat16, np.float16])
def test_a_range_of_16_bits_is_rounded_once(dtype):
    got = run("Range", *(np.array(x, dtype) for x in (0, 3, 0.1)))
    step = float(np.array(0.1, dtype))
    np.testing.assert_array_equal(got, (np.arange(len(got)) * step).astype(dtype))


def test_results_share_no_memory_with_a_broadcast_input():
    wide = run("BroadcastTo", np.ones(1), ints(3))
    wide[0] = 5
    assert wide.tolist() == [5, 1, 1]


@pytest.mark.parametrize(
    ("name", "operands", "attrs", "expected"),
    [
        ("Reshape", [known([None, 4]), value(ints(-1, 2))], {}, [None, 2]),
        ("Reshape", [known(None), known([3], "int32")], {}, [None] * 3),
        ("Fill", [known([2], "int32"), known([])], {}, [None, None]),
        ("Pack", [known(None), known([None, 3]), known([2, None])], {"axis": 1},
         [2, 3, 3]),
        ("ConcatV2", [known([None, 3]), known([2, None])], {"axis": 0}, [None, 3]),
        ("ConcatV2", [known(None), known([2, 3])], {"axis": -1}, [2, None]),
        ("Tile", [known([None, 3]), value(ints(2, 2))], {}, [None, 6]),
        ("PadV2", [known([None, 3]), value(ints((1, 1), (0, 2))), known([])], {},
         [None, 5]),
        ("PadV2", [known(None), known([2, 2], "int32"), known([])], {}, [None, None]),
        ("Transpose", [known(None)], {"perm": (1, 0)}, [None, None]),
        ("Squeeze", [known([None, 1])], {"axes": (0,)}, [1]),
        ("OneHot", [known([None], "int32"), value(ints(4)[0]), known([]), known([])],
         {"axis": 0}, [4, None]),
        ("Repeat", [known([None, 2]), value(ints(1, 3))], {"axis": 1}, [None, 4]),
        ("MatrixDiagPart", [known([None, 2, 5])], {}, [None, 2]),
        ("SelectV2", [known([None, 1], "bool"), known([3]), known([])], {}, [None, 3]),
        ("Where", [known([2, 2], "bool")], {}, [None, 2]),
    ],
)  # fmt: skip
def test_static_shapes_are_as_exact_as_can_be(name, operands, attrs, expected):
    assert infer(name, *operands, **attrs).shape.as_list() == expected


def test_parts_of_an_unknown_size_are_unknown():
    parts = infer("Split", known([None, 3]), axis=0, sizes=(None, None))
    assert [part.shape.as_list() for part in parts] == [[None, 3]] * 2
    parts = infer("Split", known([None, 3]), axis=0, sizes=(1, 2))
    assert [part.shape.as_list() for part in parts] == [[1, 3], [2, 3]]


@pytest.mark.parametrize(
    ("name", "operands", "attrs", "message"),
    [
        ("Reshape", [known([4]), value(ints(3))], {}, "4 elements do not fill"),
        ("Reshape", [known([4]), value(ints(-1, -1))], {}, "at most one -1"),
        ("Reshape", [known([4]), known([1, 1], "int32")], {}, "expected rank 1"),
        ("Fill", [value(ints(-2)), known([])], {}, "0 or more"),
        ("Fill", [value(ints(2)), known([1])], {}, "expected rank 0"),
        ("Pack", [], {"axis": 0}, "empty"),
        ("Pack", [known([2]), known([3])], {"axis": 0},
         r"float32\[2\] and float32\[3\]"),
        ("Pack", [known([2])], {"axis": 2}, "axis 2"),
        ("ConcatV2", [known([2]), known([2, 1])], {"axis": 0}, "equal ranks"),
        ("ConcatV2", [known([])], {"axis": 0}, "use tf.stack"),
        ("Split", [known([5])], {"axis": 0, "sizes": (None, None)}, "2 equal parts"),
        ("Split", [known([5])], {"axis": 0, "sizes": (1, 2)},
         "add up to 3, expected 5"),
        ("Unpack", [known([5])], {"axis": 0, "num": 4}, "size 5"),
        ("Squeeze", [known([5])], {"axes": (0,)}, "size 5"),
        ("Transpose", [known([5, 2])], {"perm": (0,)}, "orders 1 axes"),
        ("Transpose", [known([5, 2])], {"perm": (0, 0)}, "twice"),
        ("Roll", [known([5]), known([2], "int32")], {"axes": (0,)},
         "one number for each"),
        ("Tile", [known([5]), value(ints(1, 2))], {}, "one number for each axis"),
        ("Repeat", [known([5]), value(ints(1, 2))], {"axis": 0}, "each of 5 rows"),
        ("BroadcastTo", [known([5]), value(ints(4))], {}, "does not broadcast"),
        ("BroadcastTo", [known([5]), value(ints(1))], {}, "does not broadcast"),
        ("PadV2", [known([5]), known([2, 2], "int32"), known([])], {}, "a pair"),
        ("PadV2", [known([5]), value(ints((-1, 0))), known([])], {}, "0 or more"),
        ("MirrorPad", [known([2]), value(ints((2, 0)))], {"mode": "REFLECT"},
         "at most 1"),
        ("Range", [value(ints(0)[0]), value(ints(5)[0]), value(ints(0)[0])], {},
         "range"),
        ("Range", [value(ints(0)[0]), value(ints(5)[0]), value(ints(-1)[0])], {},
         "sign"),
        ("Select", [known([3], "bool"), known([2, 3]), known([2, 3])], {}, "where_v2"),
        ("SelectV2", [known([2], "bool"), known([3]), known([3])], {},
         "do not broadcast"),
        ("MatrixDiagPart", [known([3])], {}, "rank 2 or more"),
        ("ConcatV2", [], {"axis": 0}, "empty"),
        ("Transpose", [known([5, 2])], {"perm": (0, 2)}, "axis 2 is out of range"),
        ("Repeat", [known([5]), known([1, 1], "int32")], {"axis": 0}, "or a vector"),
        ("LinSpace", [known([]), known([]), value(ints(0)[0])], {},
         "num: expected 1 or more, got 0"),
        ("OneHot", [known([2], "int32"), value(ints(-1)[0]), known([]), known([])],
         {"axis": -1}, "depth: expected 0 or more, got -1"),
    ],
)  # fmt: skip
def test_shapes_that_do_not_fit_are_refused(name, operands, attrs, message):
    with pytest.raises(ValueError, match=message):
        infer(name, *operands, **attrs)


@pytest.mark.parametrize(
    ("name", "inputs", "attrs", "message"),
    [
        ("Reshape", [np.ones(4), ints(3)], {}, r"4 elements .* \(inputs: float64\[4\]"),
        ("Fill", [ints(-1), 3], {}, "0 or more"),
        ("Pack", [np.ones(2), np.ones(3)], {"axis": 0}, r"float64\[2\], float64\[3\]"),
        ("Unpack", [np.ones(2)], {"axis": 0, "num": 3}, "size 2"),
        ("Split", [np.ones(3)], {"axis": 0, "sizes": (None, None)}, "2 equal parts"),
        ("ConcatV2", [np.ones((1, 2)), np.ones((1, 3))], {"axis": 0},
         r"float64\[1,3\]"),
        ("Tile", [np.ones(2), ints(1, 1)], {}, "expected 1 numbers"),
        ("BroadcastTo", [np.ones(2), ints(3)], {}, r"float64\[2\]"),
        ("MirrorPad", [np.ones(2), ints((3, 0))], {"mode": "SYMMETRIC"}, "at most 2"),
        ("Range", [0.0, np.inf, 1.0], {}, "no finite range"),
        ("LinSpace", [0.0, 1.0, 0], {}, "1 or more"),
        ("OneHot", [ints(1), -1, 1, 0], {"axis": 0}, "0 or more"),
        ("Roll", [CUBE, ints(1)], {"axes": (0, 1)}, "one number for each axis"),
        ("PadV2", [CUBE, ints((0, 1)), np.float32(0)], {}, "for each axis"),
        ("Fill", [ints(2), np.ones(3)], {}, "cannot reshape"),
        ("Select", [[True], CUBE, CUBE[:1]], {}, "of equal shape"),
        ("Select", [[[[True]]], CUBE[:1, :1, 0], CUBE[:1, :1, 0]], {}, "that fits"),
    ],
)  # fmt: skip
def test_arrays_that_do_not_fit_are_run_time_faults(name, inputs, attrs, message):
    with pytest.raises(InvalidArgumentError, match=message):
        run(name, *inputs, **attrs)
