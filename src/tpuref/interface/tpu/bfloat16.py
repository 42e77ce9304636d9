"""Store variables as float32, and read them as bfloat16."""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from tpuref.base.dtypes import as_dtype, bfloat16, float32
from tpuref.engine.graph.build import apply
from tpuref.interface.functions.variable_scope import VariableScope, variable_scope


@contextlib.contextmanager
def bfloat16_scope() -> Iterator[VariableScope]:
    """Let `tf.get_variable` read bfloat16 variables from float32 storage.

    Within the block, a variable requested with ``dtype=tf.bfloat16`` is stored as
    float32 and read as a bfloat16 tensor, rounded to nearest even.  Variables of other
    element types, and those created with `tf.Variable`, are unaffected.  See
    000_04abb9e9288042d8.txt, bfloat16_scope.

    Examples
    --------
    >>> with tf.tpu.bfloat16_scope():
    ...     w = tf.get_variable("w", [2], tf.bfloat16)
    >>> w.dtype.name, tf.global_variables()[0].dtype.name
    ('bfloat16', 'float32')
    """
    with variable_scope("", custom_getter=_read_as_bfloat16) as scope:
        yield scope


bfloat16_scope_dyn = bfloat16_scope


def _read_as_bfloat16(
    getter: Callable[..., Any], name: str, *args: Any, **kwargs: Any
) -> Any:
    if as_dtype(kwargs["dtype"]) != bfloat16:
        return getter(name, *args, **kwargs)
    kwargs["dtype"] = float32
    return apply(
        "Cast", getter(name, *args, **kwargs), dtype=bfloat16.name, name="Cast"
    )
