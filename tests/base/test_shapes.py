"""Dimensions and shapes: the algebra of partly unknown sizes."""

import copy
import operator
import pickle

import numpy as np
import pytest

from tpuref.base.shapes import (
    Dimension,
    TensorShape,
    as_dimension,
    as_shape,
    unknown_shape,
)

UNKNOWN = Dimension(None)
ARITHMETIC = [operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod]
COMPARISONS = [operator.eq, operator.ne, operator.lt, operator.le, operator.gt]
COMPARISONS.append(operator.ge)


def test_dimension_of_any_integer():
    for value in (3, np.int64(3), np.array(3), Dimension(3)):
        assert Dimension(value).value == 3
        assert type(Dimension(value).value) is int
    for value in ("3", 3.0, [3], np.array([3, 4]), object()):
        with pytest.raises(TypeError, match="expected an integer or None"):
            Dimension(value)
    for build in (lambda: Dimension(-1), lambda: Dimension(2) - 3):
        with pytest.raises(ValueError, match="got -1"):
            build()


@pytest.mark.parametrize("function", ARITHMETIC)
def test_dimension_arithmetic(function):
    seven, three = Dimension(7), Dimension(3)
    for left, right in [(seven, 3), (7, three), (seven, three)]:
        result = function(left, right)
        assert isinstance(result, Dimension)
        assert result.value == function(7, 3)
    for left, right in [(UNKNOWN, 3), (3, UNKNOWN), (three, None)]:
        result = function(left, right)
        assert isinstance(result, Dimension)
        assert result.value is None
    for divide in (lambda: Dimension(4) / 2, lambda: 4 / Dimension(2)):
        with pytest.raises(TypeError, match="use //"):
            divide()


@pytest.mark.parametrize("function", ARITHMETIC)
def test_arithmetic_is_left_to_a_type_that_knows_dimensions(function):
    class Symbol:
        def answer(self, other):
            return "symbol"

        __radd__ = __rsub__ = __rmul__ = __rfloordiv__ = __rmod__ = answer

    assert function(Dimension(3), Symbol()) == "symbol"
    for left, right in ((Dimension(3), 1.5), (1.5, Dimension(3))):
        with pytest.raises(TypeError):
            function(left, right)


@pytest.mark.parametrize("function", COMPARISONS)
def test_dimension_comparison(function):
    for other in (2, 3, 4):
        assert function(Dimension(3), other) is function(3, other)
        assert function(other, Dimension(3)) is function(other, 3)
    assert function(UNKNOWN, 3) is None
    assert function(3, UNKNOWN) is None
    assert function(UNKNOWN, None) is None
    if function in COMPARISONS[2:]:
        with pytest.raises(TypeError):
            function(Dimension(3), "4")
    else:
        for foreign in ("3", -1):
            assert function(Dimension(3), foreign) is (function is operator.ne)


def test_dimension_as_integer():
    assert int(Dimension(3)) == 3
    assert list(range(10))[Dimension(3)] == 3
    assert np.zeros((Dimension(2), Dimension(3))).shape == (2, 3)
    with pytest.raises(TypeError, match="unknown dimension"):
        int(UNKNOWN)


def test_dimension_merging():
    three = Dimension(3)
    assert three.merge_with(None).value == UNKNOWN.merge_with(3).value == 3
    assert UNKNOWN.merge_with(None).value is None
    assert three.is_compatible_with(3) and three.is_compatible_with(None)
    assert not three.is_compatible_with(4)
    three.assert_is_compatible_with(None)
    for contradict in (three.merge_with, three.assert_is_compatible_with):
        with pytest.raises(ValueError, match="3 and 4"):
            contradict(4)


def test_dimension_text_hash_and_identity():
    assert (repr(Dimension(3)), str(Dimension(3))) == ("Dimension(3)", "3")
    assert (repr(UNKNOWN), str(UNKNOWN)) == ("Dimension(None)", "?")
    assert {Dimension(3): "three"}[3] == "three"
    assert as_dimension(UNKNOWN) is UNKNOWN
    assert as_dimension(3).value == 3


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ([2, None], "(2, ?)"),
        ((2, Dimension(None)), "(2, ?)"),
        (TensorShape([2, None]), "(2, ?)"),
        (np.array([2, 3]), "(2, 3)"),
        (iter([2, 3]), "(2, 3)"),
        ([], "()"),
        (4, "(4,)"),
        (np.array(4), "(4,)"),
        (Dimension(None), "(?,)"),
        (None, "<unknown>"),
    ],
)
def test_shape_of_anything_alike(value, expected):
    assert str(as_shape(value)) == expected


@pytest.mark.parametrize(
    "value", ["23", b"23", 2.0, [2.0], [[2]], {2: 3}, {2}, object()]
)
def test_shape_of_what_is_no_shape(value):
    with pytest.raises(TypeError, match="expected"):
        as_shape(value)
    assert TensorShape([2]) != value
    with pytest.raises(ValueError, match="got -1; write None"):
        TensorShape([-1, 2])


def test_conversions_of_a_shape():
    shape = TensorShape([2, None])
    assert shape.as_list() == [2, None]
    assert shape.as_tuple() == (2, None)
    assert repr(shape.dims) == "[Dimension(2), Dimension(None)]"
    assert repr(shape) == "TensorShape([Dimension(2), Dimension(None)])"
    assert repr(TensorShape(None)) == "TensorShape(None)"
    assert (shape.rank, shape.ndims, len(shape)) == (2, 2, 2)
    assert [dim.value for dim in shape] == [2, None]
    assert as_shape(shape) is shape
    assert np.zeros(TensorShape([2, 3])).shape == (2, 3)


def test_shape_cannot_be_changed_through_its_lists():
    shape = TensorShape([2, 3])
    shape.as_list()[0] = 9
    dims = shape.dims
    assert dims is not None
    dims[0] = Dimension(9)
    assert shape == [2, 3]
    with pytest.raises(TypeError):
        shape[0] = 9


def test_unknown_rank():
    shape = TensorShape(None)
    assert (shape.rank, shape.ndims, shape.dims) == (None, None, None)
    assert not shape
    assert TensorShape([])
    for use in (len, list, TensorShape.as_list, TensorShape.as_tuple):
        with pytest.raises(ValueError, match="unknown rank"):
            use(shape)
    assert repr(shape[5]) == "Dimension(None)"
    assert shape[1:3] == shape[:2] == shape.with_rank(2) == [None, None]
    assert shape[3:1] == []
    for key in (slice(1, None), slice(-2, 3), slice(0, -1), slice(0, 4, 2)):
        assert shape[key].rank is None
    assert shape.with_rank_at_least(2) is shape.with_rank_at_most(2) is shape
    shape.assert_has_rank(2)
    assert unknown_shape().rank is None
    assert (unknown_shape(0), unknown_shape(2)) == ([], [None, None])


def test_number_of_elements():
    for dims, count in (([2, 3], 6), ([], 1), ([0, 3], 0), ([2, None], None)):
        assert TensorShape(dims).num_elements() == count
    assert TensorShape(None).num_elements() is None


def test_fully_defined():
    assert TensorShape([2, 3]).is_fully_defined()
    assert TensorShape([]).is_fully_defined()
    TensorShape([2, 3]).assert_is_fully_defined()
    for shape in (TensorShape([2, None]), TensorShape(None)):
        assert not shape.is_fully_defined()
        with pytest.raises(ValueError, match="every dimension"):
            shape.assert_is_fully_defined()


def test_equality_of_shapes():
    assert TensorShape([2, None]) == [2, None]
    assert TensorShape([2, 3]) == (2, 3)
    assert TensorShape([2, None]) != [2, 3]
    assert TensorShape([2]) != [2, 2]
    assert TensorShape(None) == TensorShape(None)
    assert TensorShape(None) != TensorShape([])
    assert TensorShape([2]) != [-1]


def test_equal_shapes_have_equal_hashes():
    assert hash(TensorShape([2, None])) == hash(TensorShape((2, Dimension(None))))
    assert hash(TensorShape([2, 3])) == hash((2, 3))
    assert len({TensorShape([2]), TensorShape([2]), TensorShape(None)}) == 2


def test_indexing():
    shape = TensorShape([2, None, 4])
    assert repr(shape[0]) == "Dimension(2)"
    assert shape[-1].value == 4
    assert shape[1:] == [None, 4]
    assert shape[::2] == [2, 4]
    assert isinstance(shape[1:], TensorShape)
    with pytest.raises(IndexError):
        _ = shape[3]


COMPATIBLE = [
    (None, [2, 3], [2, 3], None),
    (None, None, None, None),
    ([2, None], [None, 3], [2, 3], [None, None]),
    ([2, None], [2, 3], [2, 3], [2, None]),
    ([], [], [], []),
]


@pytest.mark.parametrize(("left", "right", "merged", "common"), COMPATIBLE)
def test_compatible_shapes(left, right, merged, common):
    for a, b in [(TensorShape(left), right), (TensorShape(right), left)]:
        assert a.is_compatible_with(b)
        a.assert_is_compatible_with(b)
        a.assert_same_rank(b)
        assert a.merge_with(b) == merged
        assert a.most_specific_compatible_shape(b) == common


def test_shapes_that_contradict():
    shape = TensorShape([2, 3])
    assert not shape.is_compatible_with([2, 4]) and not shape.is_compatible_with([2])
    assert shape.most_specific_compatible_shape([2, 4]) == [2, None]
    assert shape.most_specific_compatible_shape([2]).rank is None
    shape.assert_same_rank([2, 4])
    for check in (shape.merge_with, shape.assert_is_compatible_with):
        with pytest.raises(ValueError, match=r"\(2, 3\) and \(2, 4\)"):
            check([2, 4])
        with pytest.raises(ValueError, match=r"\(2, 3\).*\(2,\)"):
            check([2])
    with pytest.raises(ValueError, match=r"\(2, 3\).*\(2,\)"):
        shape.assert_same_rank([2])


def test_rank_demands():
    shape = TensorShape([2, None])
    shape.assert_has_rank(2)
    for check, rank in [
        (shape.with_rank, 3),
        (shape.assert_has_rank, 1),
        (shape.with_rank_at_least, 3),
        (shape.with_rank_at_most, 1),
    ]:
        assert check(2) in (shape, None)
        with pytest.raises(ValueError, match=rf"{rank}, got shape \(2, \?\) of rank 2"):
            check(rank)


def test_concatenation():
    assert TensorShape([2]).concatenate([None, 3]) == [2, None, 3]
    assert TensorShape([2]).concatenate(3) == [2, 3]
    assert TensorShape([2]).concatenate(None).rank is None
    assert TensorShape(None).concatenate([2]).rank is None


@pytest.mark.parametrize("dims", [[2, None], None, []])
def test_copies_of_shapes(dims):
    shape = TensorShape(dims)
    assert copy.deepcopy(shape) == shape
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(shape, protocol)) == shape
        assert pickle.loads(pickle.dumps(Dimension(3), protocol)).value == 3
