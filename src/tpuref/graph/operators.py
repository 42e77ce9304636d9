"""Python's operators and NumPy's protocols on tensors and variables."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from tpuref.base.dtypes import DType
from tpuref.graph.builder import builder

if TYPE_CHECKING:
    from tpuref.graph.tensor import Tensor


class Operators:
    """The operators of tensors and their stand-ins."""

    __array_priority__ = 100

    @property
    def dtype(self) -> DType:
        """The element type."""
        raise NotImplementedError

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any
    ) -> Any:
        return builder().apply_ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(
        self, func: Callable[..., Any], types: Any, args: Any, kwargs: Any
    ) -> Any:
        return builder().apply_function(func, args, kwargs)

    def __getitem__(self, item: Any) -> Tensor:
        made: Tensor = builder().get_item(self, item)
        return made

    def __add__(self, other: Any) -> Tensor:
        return _binary("AddV2", self, other, "add")

    def __radd__(self, other: Any) -> Tensor:
        return _binary("AddV2", other, self, "add")

    def __sub__(self, other: Any) -> Tensor:
        return _binary("Sub", self, other, "sub")

    def __rsub__(self, other: Any) -> Tensor:
        return _binary("Sub", other, self, "sub")

    def __mul__(self, other: Any) -> Tensor:
        return _binary("Mul", self, other, "mul")

    def __rmul__(self, other: Any) -> Tensor:
        return _binary("Mul", other, self, "mul")

    def __truediv__(self, other: Any) -> Tensor:
        return _binary("RealDiv", self, other, "truediv")

    def __rtruediv__(self, other: Any) -> Tensor:
        return _binary("RealDiv", other, self, "truediv")

    def __floordiv__(self, other: Any) -> Tensor:
        return _binary("FloorDiv", self, other, "floordiv")

    def __rfloordiv__(self, other: Any) -> Tensor:
        return _binary("FloorDiv", other, self, "floordiv")

    def __mod__(self, other: Any) -> Tensor:
        return _binary("FloorMod", self, other, "mod")

    def __rmod__(self, other: Any) -> Tensor:
        return _binary("FloorMod", other, self, "mod")

    def __pow__(self, other: Any) -> Tensor:
        return _binary("Pow", self, other, "pow")

    def __rpow__(self, other: Any) -> Tensor:
        return _binary("Pow", other, self, "pow")

    def __matmul__(self, other: Any) -> Tensor:
        return _binary("MatMul", self, other, "matmul")

    def __rmatmul__(self, other: Any) -> Tensor:
        return _binary("MatMul", other, self, "matmul")

    def __lt__(self, other: Any) -> Tensor:
        return _binary("Less", self, other)

    def __le__(self, other: Any) -> Tensor:
        return _binary("LessEqual", self, other)

    def __gt__(self, other: Any) -> Tensor:
        return _binary("Greater", self, other)

    def __ge__(self, other: Any) -> Tensor:
        return _binary("GreaterEqual", self, other)

    def __and__(self, other: Any) -> Tensor:
        return _binary(_logical(self, "LogicalAnd", "BitwiseAnd"), self, other, "and")

    def __rand__(self, other: Any) -> Tensor:
        return _binary(_logical(self, "LogicalAnd", "BitwiseAnd"), other, self, "and")

    def __or__(self, other: Any) -> Tensor:
        return _binary(_logical(self, "LogicalOr", "BitwiseOr"), self, other, "or")

    def __ror__(self, other: Any) -> Tensor:
        return _binary(_logical(self, "LogicalOr", "BitwiseOr"), other, self, "or")

    def __xor__(self, other: Any) -> Tensor:
        return _binary(_logical(self, "LogicalXor", "BitwiseXor"), self, other, "xor")

    def __rxor__(self, other: Any) -> Tensor:
        return _binary(_logical(self, "LogicalXor", "BitwiseXor"), other, self, "xor")

    def __invert__(self) -> Tensor:
        return _unary(_logical(self, "LogicalNot", "Invert"), self)

    def __neg__(self) -> Tensor:
        return _unary("Neg", self)

    def __pos__(self) -> Any:
        return self

    def __abs__(self) -> Tensor:
        return _unary("Abs", self)


def _logical(operand: Operators, for_bool: str, for_integers: str) -> str:
    return for_bool if operand.dtype.is_bool else for_integers


def _unary(op: str, x: Any) -> Tensor:
    made: Tensor = builder().apply(op, x)
    return made


def _binary(op: str, x: Any, y: Any, name: str | None = None) -> Tensor:
    made: Tensor = builder().apply(op, x, y, name=name)
    return made
