"""Python's operators and NumPy's protocols on tensors and variables."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base.dtypes import DType
from tpuref.base.release import behavior
from tpuref.engine.graph.builder import builder

if TYPE_CHECKING:
    from tpuref.engine.graph.tensor import Tensor


class Reference:
    """Stands for a tensor or variable in dictionaries and sets, by its identity.

    >>> x = tf.constant(1)
    >>> {x.ref(): "one"}[x.ref()], x.ref().deref() is x
    ('one', True)
    """

    def __init__(self, value: Any) -> None:
        self._value = value

    def deref(self) -> Any:
        """Return the tensor or variable."""
        return self._value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reference) and self._value is other._value

    def __hash__(self) -> int:
        return id(self._value)


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

    def __eq__(self, other: object) -> Any:
        if behavior.tensor_equality and builder().has_elements(self):
            return builder().equal(self, other)
        return object.__eq__(self, other)

    def __ne__(self, other: object) -> Any:
        if behavior.tensor_equality and builder().has_elements(self):
            return builder().not_equal(self, other)
        return object.__ne__(self, other)

    def __hash__(self) -> int:
        # tpuref's own tables hold nodes of graphs, which are equal if identical.
        if (
            behavior.tensor_equality
            and builder().has_elements(self)
            and not sys._getframe(1).f_globals["__name__"].startswith("tpuref.")
        ):
            raise codes.PYTHON_CONTROL_FLOW.type_error(
                f"{self!r} cannot be hashed, because == compares its elements; use "
                "its ref() as the key, and deref() of that"
            )
        return object.__hash__(self)

    def ref(self) -> Reference:
        """Return a hashable reference to the tensor; its `deref` is the tensor."""
        return Reference(self)

    experimental_ref = ref

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
