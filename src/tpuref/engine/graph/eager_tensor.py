"""The tensors of eager mode, which have values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tpuref.base import dlpack
from tpuref.base import error_codes as codes
from tpuref.base.callsite import user_site
from tpuref.base.dtypes import as_dtype
from tpuref.base.spec import TensorSpec
from tpuref.engine.graph.default import get_default_graph
from tpuref.engine.graph.tensor import Operation, Tensor
from tpuref.engine.ops.definition import Operand
from tpuref.engine.ops.meaning import Array


class EagerTensor(Tensor):
    """A tensor that has a value.

    >>> with tf.eager_execution():
    ...     (tf.constant([1, 2]) + 1).numpy()
    array([2, 3], dtype=int32)
    """

    def __init__(self, op: Operation, spec: TensorSpec, value: Array) -> None:
        super().__init__(op, 0, spec)
        self._value = value

    @classmethod
    def of(cls, value: Array, made_by: str = "Const") -> EagerTensor:
        """Return the tensor of an array."""
        spec = TensorSpec(value.shape, as_dtype(value.dtype))
        return cls(_source(made_by), spec, value)

    def numpy(self) -> Any:
        """Return a copy of the value as a NumPy array, or scalar for rank 0."""
        return self._value[()] if self._value.ndim == 0 else self._value.copy()

    @property
    def array(self) -> Array:
        """The value itself, which must not be changed."""
        return self._value

    def _as_graph_element(self) -> Tensor:
        raise codes.WRONG_MODE.type_error(
            f"{self!r} has its value already and is part of no graph; use numpy(), or "
            "tf.identity to bring it into one"
        )

    def operand(self) -> Operand:
        """Return shape, dtype and value for inference."""
        return Operand(self.shape, self.dtype, self._value)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        if copy is not False:
            return np.array(self._value, dtype)
        if dtype is not None and np.dtype(dtype) != self._value.dtype:
            raise ValueError(
                f"{self.spec.describe()} cannot become an array of {np.dtype(dtype)} "
                "without a copy; leave copy=False out"
            )
        shown: Array = self._value.view()
        shown.flags.writeable = False
        return shown

    def __dlpack__(self, **wanted: Any) -> Any:
        return dlpack.exported(self._value, **wanted)

    def __dlpack_device__(self) -> tuple[int, int]:
        return dlpack.CPU

    def __bool__(self) -> bool:
        if self._value.size != 1:
            raise codes.PYTHON_CONTROL_FLOW.value_error(
                f"{self.describe()} has {self._value.size} elements and no truth value;"
                " use tf.reduce_any or tf.reduce_all"
            )
        return bool(self._value)

    def __int__(self) -> int:
        return int(self._value)

    def __float__(self) -> float:
        return float(self._value)

    def __index__(self) -> int:
        return int(self._value.__index__())

    def __iter__(self) -> Iterator[Tensor]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        return (
            f"<tf.Tensor shape={self.shape} dtype={self.dtype.name} "
            f"numpy={self.numpy()!r}>"
        )

    def __str__(self) -> str:
        return f"tf.Tensor({self.numpy()}, shape={self.shape}, dtype={self.dtype.name})"


def _source(type: str) -> Operation:
    """Return a placeholder operation that records where the tensor was created."""
    return Operation(
        get_default_graph(),
        type,
        type,
        inputs=(),
        specs=(),
        attrs={},
        control_inputs=(),
        device=get_default_graph().current_device,
        region=None,
        blocks=(),
        site=user_site(),
        index=-1,
    )
