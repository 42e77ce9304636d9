"""Operations that bring values into a program or forward them."""

from functools import partial
from typing import Any

from tpuref.base.dtypes import as_dtype
from tpuref.base.shapes import TensorShape
from tpuref.base.spec import TensorSpec
from tpuref.engine.ops.definition import OpDef, Operand, Traits
from tpuref.engine.ops.meaning import Array


def _infer_const(*, value: Array) -> TensorSpec:
    return TensorSpec(value.shape, as_dtype(value.dtype))


def _const(xp: Any, *, value: Array) -> Any:
    return xp.asarray(value)


def _value(*, value: Array) -> Array:
    return value


def _infer_placeholder(
    *, dtype: str, shape: tuple[int | None, ...] | None
) -> TensorSpec:
    return TensorSpec(shape, dtype)


def _infer_default(x: Operand, *, shape: tuple[int | None, ...] | None) -> TensorSpec:
    expected = TensorShape(shape)
    if not expected.is_compatible_with(x.shape):
        raise ValueError(f"the default is {x.describe()}, expected shape {expected}")
    return TensorSpec(shape, x.dtype)


def _infer_argument(
    *, index: int, dtype: str, shape: tuple[int | None, ...] | None
) -> TensorSpec:
    return TensorSpec(shape, dtype)


def infer_same(x: Operand) -> TensorSpec:
    """Return the type and shape of the input."""
    return TensorSpec(x.shape, x.dtype)


def _same(xp: Any, x: Array) -> Any:
    return x


def _identity(x: Array) -> Array:
    return x


def _default(x: Array, *, shape: tuple[int | None, ...] | None) -> Array:
    return x


def _not_known(x: Operand, *, shape: tuple[int | None, ...] | None) -> None:
    """Return None: another value may be fed, so shapes must not use the default."""


def _infer_each(*xs: Operand) -> list[TensorSpec]:
    return [TensorSpec(x.shape, x.dtype) for x in xs]


def _each(*xs: Array) -> tuple[Array, ...]:
    return xs


def _infer_nothing() -> tuple[TensorSpec, ...]:
    return ()


def _nothing() -> tuple[Array, ...]:
    return ()


_op = partial(OpDef, gradient="arrays")

CONST = _op(
    "Const",
    infer=_infer_const,
    meaning=_const,
    compute=_value,
    traits=Traits(constant=True),
)
ARGUMENT = _op("_Arg", infer=_infer_argument, traits=Traits(fed=True))
IDENTITY = _op(
    "Identity",
    infer=infer_same,
    meaning=_same,
    compute=_identity,
    traits=Traits(linear=True, forwards=True),
)
IDENTITY_N = _op("IdentityN", infer=_infer_each, compute=_each, xla="arrays")
STOP_GRADIENT = _op(
    "StopGradient",
    infer=infer_same,
    meaning=_same,
    compute=_identity,
    traits=Traits(forwards=True),
)
OPERATIONS: tuple[OpDef, ...] = (
    CONST,
    ARGUMENT,
    _op("Placeholder", infer=_infer_placeholder, traits=Traits(fed=True)),
    _op(
        "PlaceholderWithDefault",
        infer=_infer_default,
        compute=_default,
        static=_not_known,
        xla="arrays",
    ),
    IDENTITY,
    IDENTITY_N,
    STOP_GRADIENT,
    _op("NoOp", infer=_infer_nothing, compute=_nothing, xla="arrays"),
)
