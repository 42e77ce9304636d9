"""Tensor specs: the static shape, dtype and name of a tensor."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from tpuref.base.arguments import instance_of, wrong_type
from tpuref.base.dtypes import DType, DTypeLike, as_dtype, float32
from tpuref.base.shapes import ShapeLike, TensorShape, as_shape


@dataclass(frozen=True, init=False, repr=False)
class TensorSpec:
    """The static shape and dtype of a tensor.

    It raises TypeError if `shape` is not a shape or `dtype` not an element type, and
    ValueError if a dimension is negative.

    `shape` and `dtype` are anything that `as_shape` and `as_dtype` accept; `name` is
    for messages.

    Examples
    --------
    >>> spec = TensorSpec([2, None], "int32", name="ids")
    >>> print(spec)
    int32[2,?]
    >>> spec.is_compatible_with(TensorSpec([2, 7], "int32"))
    True
    """

    shape: TensorShape
    dtype: DType
    name: str | None

    def __init__(
        self, shape: ShapeLike, dtype: DTypeLike = float32, name: str | None = None
    ) -> None:
        # A frozen dataclass refuses plain assignment, in its own __init__ too.
        object.__setattr__(self, "shape", as_shape(shape))
        object.__setattr__(self, "dtype", as_dtype(dtype))
        object.__setattr__(self, "name", name)

    @classmethod
    def from_tensor(cls, tensor: Any, name: str | None = None) -> TensorSpec:
        """Return the spec of a tensor."""
        if not (hasattr(tensor, "shape") and hasattr(tensor, "dtype")):
            raise wrong_type("tf.TensorSpec.from_tensor: tensor", "a tensor", tensor)
        return cls(tensor.shape, tensor.dtype, name)

    def is_compatible_with(self, spec_or_tensor: Any) -> bool:
        """Return whether dtypes are equal and no static dimensions differ.

        The argument may be a tensor; names are ignored.
        """
        spec = getattr(spec_or_tensor, "spec", spec_or_tensor)
        other = instance_of(TensorSpec, "TensorSpec: other", "a tf.TensorSpec", spec)
        return self.dtype.is_compatible_with(
            other.dtype
        ) and self.shape.is_compatible_with(other.shape)

    def describe(self) -> str:
        """Return the short form, such as ``float32[2,?]`` or ``float32<unknown>``."""
        if self.shape.rank is None:
            return f"{self.dtype.name}<unknown>"
        dims = ("?" if dim is None else str(dim) for dim in self.shape.as_tuple())
        return f"{self.dtype.name}[{','.join(dims)}]"

    def __str__(self) -> str:
        return self.describe()

    def __repr__(self) -> str:
        name = "" if self.name is None else f", name={self.name!r}"
        return f"TensorSpec({self.describe()}{name})"


def specs_of(
    dtypes: Iterable[DTypeLike], shapes: Iterable[ShapeLike]
) -> tuple[TensorSpec, ...]:
    """Return a spec for each dtype and shape."""
    pairs = zip(shapes, dtypes, strict=True)
    return tuple(TensorSpec(shape, dtype) for shape, dtype in pairs)
