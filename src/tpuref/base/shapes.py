"""Static shapes of tensors, whose dimensions or rank may be unknown."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Any, SupportsIndex, TypeAlias, overload

from tpuref.base import error_codes as codes
from tpuref.base.arguments import integer
from tpuref.base.release import behavior

DimensionLike: TypeAlias = "Dimension | SupportsIndex | None"
ShapeLike: TypeAlias = "TensorShape | SupportsIndex | Iterable[Any] | None"


class Dimension:
    """The size of a tensor along one axis, which may be unknown.

    Arithmetic with an unknown size gives an unknown size, and a comparison with one
    gives None: neither true nor false.  `value` is None for an unknown size; any type
    with ``__index__`` works.  It raises ValueError if `value` is negative.

    Examples
    --------
    >>> Dimension(6) // 4
    Dimension(1)
    >>> Dimension(6) * None
    Dimension(None)
    >>> print(Dimension(6) == Dimension(None))
    None
    """

    __slots__ = ("_value",)

    def __init__(self, value: DimensionLike) -> None:
        self._value = _dimension_value(value)

    @property
    def value(self) -> int | None:
        """The size, or None if unknown."""
        return self._value

    def is_compatible_with(self, other: DimensionLike) -> bool:
        """Return whether both sizes are equal or either is unknown."""
        return _compatible(self._value, as_dimension(other)._value)

    def assert_is_compatible_with(self, other: DimensionLike) -> None:
        """Raise ValueError unless `is_compatible_with` holds."""
        other = as_dimension(other)
        if not self.is_compatible_with(other):
            raise ValueError(
                f"Dimension.assert_is_compatible_with: {self} and {other} are both "
                "known and differ"
            )

    def merge_with(self, other: DimensionLike) -> Dimension:
        """Return this size, or `other` if this one is unknown.

        It raises ValueError if both are known and differ.
        """
        other = as_dimension(other)
        self.assert_is_compatible_with(other)
        return other if self._value is None else self

    def __add__(self, other: DimensionLike) -> Dimension:
        return _combine(operator.add, self, other)

    def __radd__(self, other: DimensionLike) -> Dimension:
        return _combine(operator.add, other, self)

    def __sub__(self, other: DimensionLike) -> Dimension:
        return _combine(operator.sub, self, other)

    def __rsub__(self, other: DimensionLike) -> Dimension:
        return _combine(operator.sub, other, self)

    def __mul__(self, other: DimensionLike) -> Dimension:
        return _combine(operator.mul, self, other)

    def __rmul__(self, other: DimensionLike) -> Dimension:
        return _combine(operator.mul, other, self)

    def __floordiv__(self, other: DimensionLike) -> Dimension:
        return _combine(operator.floordiv, self, other)

    def __rfloordiv__(self, other: DimensionLike) -> Dimension:
        return _combine(operator.floordiv, other, self)

    def __mod__(self, other: DimensionLike) -> Dimension:
        return _combine(operator.mod, self, other)

    def __rmod__(self, other: DimensionLike) -> Dimension:
        return _combine(operator.mod, other, self)

    def __truediv__(self, other: object) -> Dimension:
        raise _true_division_error(self, other)

    def __rtruediv__(self, other: object) -> Dimension:
        raise _true_division_error(other, self)

    def __eq__(self, other: object) -> bool | None:  # type: ignore[override]
        return _compare(operator.eq, _equality_pair(self, other))

    def __ne__(self, other: object) -> bool | None:  # type: ignore[override]
        return _compare(operator.ne, _equality_pair(self, other))

    def __lt__(self, other: DimensionLike) -> bool | None:
        return _compare(operator.lt, _known_pair(self, other))

    def __le__(self, other: DimensionLike) -> bool | None:
        return _compare(operator.le, _known_pair(self, other))

    def __gt__(self, other: DimensionLike) -> bool | None:
        return _compare(operator.gt, _known_pair(self, other))

    def __ge__(self, other: DimensionLike) -> bool | None:
        return _compare(operator.ge, _known_pair(self, other))

    def __int__(self) -> int:
        return self.__index__()

    def __index__(self) -> int:
        if self._value is None:
            raise TypeError(
                "Dimension: an unknown dimension has no integer value; test "
                "`dimension.value is not None` first"
            )
        return self._value

    def __hash__(self) -> int:
        return hash(self._value)

    def __repr__(self) -> str:
        return f"Dimension({self._value})"

    def __str__(self) -> str:
        return "?" if self._value is None else str(self._value)

    def __reduce__(self) -> tuple[type[Dimension], tuple[int | None]]:
        return Dimension, (self._value,)


def as_dimension(value: DimensionLike) -> Dimension:
    """Return `value` as a Dimension; a Dimension is returned unchanged."""
    return value if isinstance(value, Dimension) else Dimension(value)


def _dimension_value(value: object) -> int | None:
    if value is None:
        return None
    if isinstance(value, Dimension):
        return value.value
    try:
        size = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise codes.INVALID_ARGUMENT.type_error(
            f"Dimension: expected an integer or None, got {value!r} of type "
            f"{type(value).__name__}"
        ) from None
    if size < 0:
        raise codes.INVALID_ARGUMENT.value_error(
            f"Dimension: a size cannot be negative, got {size}; write None for an "
            "unknown size"
        )
    return size


def _compatible(left: int | None, right: int | None) -> bool:
    return left is None or right is None or left == right


def _combine(
    function: Callable[[int, int], int], left: object, right: object
) -> Dimension:
    """Return the result of an arithmetic operator, unknown if an operand is."""
    operands = _known_pair(left, right)
    if operands is NotImplemented:
        return NotImplemented  # type: ignore[no-any-return]
    return Dimension(None if operands is None else function(*operands))


def _compare(function: Callable[[int, int], bool], operands: Any) -> bool | None:
    """Return the result of a comparison, None if an operand is unknown."""
    if operands is NotImplemented:
        return NotImplemented  # type: ignore[no-any-return]
    return None if operands is None else function(*operands)


def _known_pair(left: object, right: object) -> Any:
    """Return both operands as integers, None if one is unknown, or NotImplemented."""
    try:
        pair = _dimension_value(left), _dimension_value(right)
    except TypeError:
        return NotImplemented
    return None if None in pair else pair


def _equality_pair(left: object, right: object) -> Any:
    # A negative number equals no size, but comparing with one is not an error.
    try:
        return _known_pair(left, right)
    except ValueError:
        return NotImplemented


def _true_division_error(left: object, right: object) -> TypeError:
    return TypeError(
        f"Dimension: {left!r} / {right!r} may not be a whole number; use // for the "
        "floor of the quotient"
    )


class TensorShape:
    """The sizes of a tensor along its axes, some or all of which may be unknown.

    A shape is fully known, has a known rank and some unknown dimensions, or has an
    unknown rank.  Shapes are immutable.  It raises ValueError if a dimension is
    negative.

    Parameters
    ----------
    dims : TensorShape, int, iterable of int, Dimension or None, or None
        The dimensions. A single integer or Dimension gives a shape of rank 1,
        None a shape of unknown rank.

    Examples
    --------
    >>> shape = TensorShape([2, None])
    >>> print(shape)
    (2, ?)
    >>> shape.merge_with([None, 3])
    TensorShape([Dimension(2), Dimension(3)])
    >>> shape == [2, None]
    True
    """

    __slots__ = ("_dims",)

    def __init__(self, dims: ShapeLike) -> None:
        self._dims = _shape_dims(dims)

    @property
    def rank(self) -> int | None:
        """The number of dimensions, or None if unknown."""
        return None if self._dims is None else len(self._dims)

    @property
    def ndims(self) -> int | None:
        """The number of dimensions, or None if unknown."""
        return self.rank

    @property
    def dims(self) -> list[Dimension] | None:
        """A new list of the dimensions, or None if the rank is unknown."""
        return None if self._dims is None else [Dimension(dim) for dim in self._dims]

    def as_tuple(self) -> tuple[int | None, ...]:
        """Return the sizes as integers, None for each unknown one.

        It raises ValueError if the rank is unknown.
        """
        return self._known_dims("as_tuple")

    def as_list(self) -> list[int | None]:
        """Return the sizes as integers, None for each unknown one.

        It raises ValueError if the rank is unknown.
        """
        return list(self._known_dims("as_list"))

    def num_elements(self) -> int | None:
        """Return the number of elements, or None if unknown."""
        known = _fully_known(self._dims)
        return None if known is None else math.prod(known)

    def is_fully_defined(self) -> bool:
        """Return whether the rank and every dimension are known."""
        return _fully_known(self._dims) is not None

    def assert_is_fully_defined(self) -> None:
        """Raise ValueError unless the rank and every dimension are known."""
        if not self.is_fully_defined():
            raise ValueError(
                "TensorShape.assert_is_fully_defined: expected every dimension to be "
                f"known, got {self}"
            )

    def is_compatible_with(self, other: ShapeLike) -> bool:
        """Return whether a tensor can have both shapes.

        It can if either rank is unknown, or the ranks are equal and no two known
        dimensions differ.
        """
        if other.__class__ is tuple and other == self._dims:
            return True  # a fast path for arrays that are fed in every step
        theirs = as_shape(other)._dims
        if self._dims is None or theirs is None:
            return True
        return len(self._dims) == len(theirs) and all(
            map(_compatible, self._dims, theirs)
        )

    def assert_is_compatible_with(self, other: ShapeLike) -> None:
        """Raise ValueError unless `is_compatible_with` holds."""
        other = as_shape(other)
        if not self.is_compatible_with(other):
            raise ValueError(
                f"TensorShape.assert_is_compatible_with: no tensor has both shapes "
                f"{self} and {other}"
            )

    def assert_same_rank(self, other: ShapeLike) -> None:
        """Raise ValueError if both ranks are known and differ."""
        other = as_shape(other)
        if not _compatible(self.rank, other.rank):
            raise ValueError(
                f"TensorShape.assert_same_rank: shape {self} has rank {self.rank}, "
                f"shape {other} has rank {other.rank}"
            )

    def assert_has_rank(self, rank: int) -> None:
        """Raise ValueError if the rank is known and is not `rank`."""
        if not _compatible(self.rank, rank):
            raise self._rank_error("assert_has_rank", f"{rank}")

    def with_rank(self, rank: int) -> TensorShape:
        """Return this shape with rank `rank`.

        It raises ValueError if the rank is known and differs.
        """
        if self._dims is None:
            return unknown_shape(rank)
        if len(self._dims) != rank:
            raise self._rank_error("with_rank", f"{rank}")
        return self

    def with_rank_at_least(self, rank: int) -> TensorShape:
        """Return this shape; raise ValueError if its rank is known to be less."""
        least = integer("TensorShape.with_rank_at_least: rank", rank)
        if self._dims is not None and len(self._dims) < least:
            raise self._rank_error("with_rank_at_least", f"at least {rank}")
        return self

    def with_rank_at_most(self, rank: int) -> TensorShape:
        """Return this shape; raise ValueError if its rank is known to be greater."""
        most = integer("TensorShape.with_rank_at_most: rank", rank)
        if self._dims is not None and len(self._dims) > most:
            raise self._rank_error("with_rank_at_most", f"at most {rank}")
        return self

    def merge_with(self, other: ShapeLike) -> TensorShape:
        """Return a shape in which every dimension known in either shape is known.

        It raises ValueError if no tensor has both shapes.
        """
        other = as_shape(other)
        if not self.is_compatible_with(other):
            raise ValueError(
                f"TensorShape.merge_with: shapes {self} and {other} contradict each "
                "other"
            )
        if self._dims is None:
            return other
        if other._dims is None:
            return self
        pairs = zip(self._dims, other._dims, strict=True)
        return TensorShape([right if left is None else left for left, right in pairs])

    def most_specific_compatible_shape(self, other: ShapeLike) -> TensorShape:
        """Return the most specific shape compatible with both shapes.

        Dimensions that are known and equal in both are known; the rank is unknown if
        the ranks differ or either is unknown.
        """
        theirs = as_shape(other)._dims
        if self._dims is None or theirs is None or len(self._dims) != len(theirs):
            return unknown_shape()
        pairs = zip(self._dims, theirs, strict=True)
        return TensorShape([left if left == right else None for left, right in pairs])

    def concatenate(self, other: ShapeLike) -> TensorShape:
        """Return the dimensions of this shape followed by those of `other`.

        The rank is unknown if either rank is unknown.
        """
        theirs = as_shape(other)._dims
        if self._dims is None or theirs is None:
            return unknown_shape()
        return TensorShape(self._dims + theirs)

    def __len__(self) -> int:
        return len(self._known_dims("__len__"))

    def __bool__(self) -> bool:
        return self._dims is not None

    def __iter__(self) -> Iterator[Any]:
        return map(_item, self._known_dims("__iter__"))

    def __add__(self, other: ShapeLike) -> TensorShape:
        return self.concatenate(other)

    def __radd__(self, other: ShapeLike) -> TensorShape:
        return as_shape(other).concatenate(self)

    @overload
    def __getitem__(self, key: SupportsIndex) -> Any: ...
    @overload
    def __getitem__(self, key: slice) -> TensorShape: ...
    def __getitem__(self, key: SupportsIndex | slice) -> Any:
        if isinstance(key, slice):
            if self._dims is None:
                return _slice_of_unknown(key)
            return TensorShape(self._dims[key])
        place = integer("TensorShape: an index", key)
        return _item(None if self._dims is None else self._dims[place])

    def __eq__(self, other: object) -> bool:
        try:
            return self._dims == _shape_dims(other)
        except (TypeError, ValueError):
            return NotImplemented

    def __hash__(self) -> int:
        return hash(self._dims)

    def __repr__(self) -> str:
        items = None if self._dims is None else list(self)
        return f"TensorShape({items})"

    def __str__(self) -> str:
        if self._dims is None:
            return "<unknown>"
        unknown = "None" if behavior.integer_shapes else "?"
        dims = [unknown if dim is None else str(dim) for dim in self._dims]
        return f"({dims[0]},)" if len(dims) == 1 else f"({', '.join(dims)})"

    def __reduce__(
        self,
    ) -> tuple[type[TensorShape], tuple[tuple[int | None, ...] | None]]:
        return TensorShape, (self._dims,)

    def _known_dims(self, method: str) -> tuple[int | None, ...]:
        if self._dims is None:
            raise ValueError(
                f"TensorShape.{method}: the shape has an unknown rank; use with_rank, "
                "or give the tensor a shape where you create it"
            )
        return self._dims

    def _rank_error(self, method: str, expected: str) -> ValueError:
        return ValueError(
            f"TensorShape.{method}: expected rank {expected}, got shape {self} of rank "
            f"{self.rank}"
        )


def _item(size: int | None) -> Any:
    """Return a size as an item of a shape, which depends on the release."""
    return size if behavior.integer_shapes else Dimension(size)


def as_shape(value: ShapeLike) -> TensorShape:
    """Return `value` as a TensorShape, or raise as its constructor does."""
    return value if isinstance(value, TensorShape) else TensorShape(value)


def static_sizes(shape: TensorShape) -> tuple[int, ...]:
    """Return the sizes of a fully defined shape."""
    return tuple(size or 0 for size in shape.as_list())


def unknown_shape(rank: int | None = None) -> TensorShape:
    """Return a shape of `rank` unknown dimensions, or of unknown rank for None.

    >>> print(unknown_shape(), unknown_shape(2))
    <unknown> (?, ?)
    """
    return TensorShape(None if rank is None else [None] * rank)


def _shape_dims(value: object) -> tuple[int | None, ...] | None:
    if value is None:
        return None
    if isinstance(value, TensorShape):
        return value._dims
    if isinstance(value, (str, bytes, Mapping, AbstractSet)):
        raise _no_shape_error(value)
    if not _has_items(value):
        return (_single_dim(value),)
    return tuple(_dimension_value(dim) for dim in value)  # type: ignore[attr-defined]


def _has_items(value: object) -> bool:
    # An array of rank 0 has __iter__; only iter() shows that it is a number.
    try:
        iter(value)  # type: ignore[call-overload]
    except TypeError:
        return False
    return True


def _single_dim(value: object) -> int | None:
    if not isinstance(value, SupportsIndex):
        raise _no_shape_error(value)
    return _dimension_value(value)


def _no_shape_error(value: object) -> TypeError:
    return codes.INVALID_ARGUMENT.type_error(
        "TensorShape: expected None, an integer or a sequence of integers and None, "
        f"got {value!r} of type {type(value).__name__}"
    )


def _fully_known(dims: tuple[int | None, ...] | None) -> list[int] | None:
    if dims is None:
        return None
    known = [dim for dim in dims if dim is not None]
    return known if len(known) == len(dims) else None


def _slice_of_unknown(key: slice) -> TensorShape:
    start = 0 if key.start is None else operator.index(key.start)
    if key.stop is None or key.step is not None:
        return unknown_shape()
    stop = operator.index(key.stop)
    if start < 0 or stop < 0:
        return unknown_shape()
    return unknown_shape(max(0, stop - start))


def dimension_value(dimension: Dimension | int | None) -> int | None:
    """Return the size of a dimension, None if it is unknown.

    Examples
    --------
    >>> tf.compat.dimension_value(tf.TensorShape([None, 3])[1])
    3
    """
    return dimension.value if isinstance(dimension, Dimension) else dimension
