"""Functions of elements that NumPy computes with Python, and checks of integers."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base.dtypes import as_dtype
from tpuref.engine.ops.arithmetic import is_integer, widened
from tpuref.engine.runtime.xla.rules import Check, Rule


def _special(name: str) -> Callable[..., Any]:
    """Return a special function, computed in float32 for 16 bits."""
    function = getattr(jax.scipy.special, name)

    def rule(xp: Any, x: Any) -> Any:
        return function(widened(x)).astype(x.dtype)

    return rule


def _digamma(xp: Any, x: Any) -> Any:
    """Return infinity at the poles, where JAX returns NaN."""
    wide = widened(x)
    pole = (wide <= 0) & (wide == xp.floor(wide))
    return xp.where(pole, np.inf, jax.scipy.special.digamma(wide)).astype(x.dtype)


def _complex(xp: Any, real: Any, imag: Any) -> Any:
    return jax.lax.complex(*jnp.broadcast_arrays(real, imag))


def _refuse_zero(x: Any, y: Any) -> list[Any]:
    if not is_integer(y) or (isinstance(y, np.ndarray) and np.all(y)):
        return []
    message = (
        "integer division by zero; use tf.truediv for a quotient that may be infinite"
    )
    return [(jnp.any(y == 0), codes.INTEGER_DIVISION_BY_ZERO, message)]


def _refuse_negative(x: Any, y: Any) -> list[Any]:
    if not is_integer(y) or (isinstance(y, np.ndarray) and np.all(y >= 0)):
        return []
    message = (
        "an integer to a negative power is no integer; cast to a floating-point type "
        "first"
    )
    return [(jnp.any(y < 0), codes.INVALID_OPERANDS, message)]


def _fraction_and_whole(xp: Any, x: Any) -> Any:
    """Split infinity into a fraction of 0, with its sign, and itself."""
    whole = xp.trunc(x)
    fraction = xp.where(xp.isinf(x), xp.zeros((), x.dtype), x - whole)
    return xp.copysign(fraction, x), whole


def _cast(xp: Any, x: Any, *, dtype: str) -> Any:
    """Cast out-of-range floats to NumPy's integers; XLA saturates."""
    target = as_dtype(dtype).np
    x = x.real if x.dtype.kind == "c" and target.kind not in "cb" else x
    if target.kind not in "iu" or x.dtype.kind in "iub":
        return x.astype(target)
    wide = target.itemsize == 8 or target == np.uint32
    through = np.dtype(np.int64 if wide else np.int32)
    end = -float(np.iinfo(through).min)
    x = x.astype(xp.promote_types(x.dtype, np.float32))
    inside = (x >= -end) & (x < end)
    whole = xp.where(inside, x.astype(through), np.iinfo(through).min).astype(target)
    if target == np.uint64:
        whole = xp.where((x >= end) & (x < 2 * end), x.astype(target), whole)
    return whole


RULES: dict[str, Rule] = {
    "Cast": _cast,
    "Erf": _special("erf"),
    "Erfc": _special("erfc"),
    "Erfinv": _special("erfinv"),
    "Lgamma": _special("gammaln"),
    "Digamma": _digamma,
    "Complex": _complex,
    "Modf": _fraction_and_whole,
}

CHECKS: dict[str, Check] = {
    **dict.fromkeys(("FloorDiv", "FloorMod", "TruncateMod", "DivMod"), _refuse_zero),
    "Pow": _refuse_negative,
}
