"""Products and quotients with a rule of their own for zeros or signs."""

from typing import Any

from tpuref.base.arguments import name_or
from tpuref.engine.graph.build import apply
from tpuref.engine.graph.convert import convert_operands
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.arithmetic import floordiv, truncatemod
from tpuref.interface.functions.creation import ones_like, zeros_like
from tpuref.interface.functions.exponentials import log
from tpuref.interface.functions.identity import identity
from tpuref.interface.functions.rounding import ceil, floor
from tpuref.interface.functions.scopes import name_scope
from tpuref.interface.functions.selection import where_v2


def truncatediv(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return the quotient without its fraction: it is rounded towards zero.

    Parameters, result and errors are those of `realdiv`.

    Examples
    --------
    >>> tf.Session().run(tf.truncatediv([7, -7], 2))
    array([ 3, -3], dtype=int32)
    """
    with name_scope(name_or(name, "truncatediv")) as scope:
        x, y = convert_operands("tf.truncatediv", (x, y))
        if x.dtype.is_integer:
            return floordiv(x - truncatemod(x, y), y, name=scope)
        quotient = x / y
        down = where_v2(quotient < 0, ceil(quotient), floor(quotient))
        return identity(down, name=scope)


def multiply_no_nan(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return ``x * y``, or 0 where `y` is 0, even if `x` is infinite; no integers."""
    return _zero_where_zero("multiply_no_nan", y, x, lambda y, x: x * y, name)


def xlogy(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return ``x * log(y)``, or 0 where `x` is 0.

    Parameters and result are those of `multiply`.  The numbers are floating-point.

    Examples
    --------
    >>> tf.Session().run(tf.math.xlogy([0.0, 2.0], [0.0, 1.0])).tolist()
    [0.0, 0.0]
    """
    return _zero_where_zero("xlogy", x, y, lambda x, y: x * log(y), name)


def xdivy(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return ``x / y``, or 0 where `x` is 0, even if `y` is 0 too; not of integers."""
    return _zero_where_zero("xdivy", x, y, lambda x, y: x / y, name)


def _zero_where_zero(
    function: str, zero: Any, other: Any, compute: Any, name: str | None
) -> Tensor:
    with name_scope(name_or(name, function)) as scope:
        first, second = convert_operands(f"tf.math.{function}", (zero, other))
        is_zero: Tensor = apply("Equal", first, zeros_like(first))
        # The branch that is not taken must have no NaN, which its gradient would keep.
        result = compute(first, where_v2(is_zero, ones_like(second), second))
        return identity(where_v2(is_zero, zeros_like(result), result), name=scope)
