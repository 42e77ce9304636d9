"""Operations on whole arrays."""

from typing import Any

import jax.numpy as jnp
import numpy as np

from tpuref.engine.ops.arithmetic import widened
from tpuref.engine.runtime.xla.rules import Rule


def _zeros_like(xp: Any, x: Any) -> Any:
    return xp.zeros_like(x)


def _each(xp: Any, *xs: Any) -> Any:
    return xs


def _default(xp: Any, x: Any, *, shape: Any) -> Any:
    return x


def _nothing(xp: Any) -> Any:
    return ()


def _lin_space(xp: Any, start: Any, stop: Any, num: Any) -> Any:
    if num <= 0:
        raise ValueError(f"num: expected 1 or more, got {num}")
    return xp.linspace(start, stop, int(num)).astype(start.dtype)


def _roll(xp: Any, x: Any, shift: Any, *, axes: tuple[int, ...]) -> Any:
    if shift.shape != (len(axes),):
        raise ValueError("shift: expected one number for each axis")
    return xp.roll(x, [shift[k] for k in range(len(axes))], axes)


def _matrix_diag(xp: Any, diagonal: Any) -> Any:
    inside = np.eye(diagonal.shape[-1], dtype=bool)
    return xp.where(inside, diagonal[..., None, :], xp.zeros((), diagonal.dtype))


def _orthonormal(xp: Any, x: Any) -> Any:
    columns, triangle = jnp.linalg.qr(widened(x))
    signs = jnp.where(jnp.diagonal(triangle) < 0, -1, 1).astype(columns.dtype)
    return (columns * signs).astype(x.dtype)


RULES: dict[str, Rule] = {
    "ZerosLike": _zeros_like,
    "IdentityN": _each,
    "PlaceholderWithDefault": _default,
    "NoOp": _nothing,
    "LinSpace": _lin_space,
    "Roll": _roll,
    "MatrixDiag": _matrix_diag,
    "Orthonormal": _orthonormal,
}
