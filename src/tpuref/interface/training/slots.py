"""Slots: variables that an optimizer keeps beside each variable that it optimizes."""

from __future__ import annotations

from typing import Any

from tpuref.interface.functions.variable_scope import get_variable, variable_scope
from tpuref.interface.training.distribution import beside


def create_slot(
    primary: Any, initializer: Any, name: str, shape: Any = None, dtype: Any = None
) -> Any:
    """Create a variable that is not trained, named after `primary`.

    Parameters
    ----------
    primary
        The variable that it stands beside, on the same devices.
    initializer
        A value, or an initializer for `shape` and `dtype`.
    name
        What the slot is called: that of ``w`` for ``"Adam"`` is ``w/Adam``, the next
        one ``w/Adam_1``.
    """
    base = primary.name.partition(":")[0]
    # As in TensorFlow the scope itself names the variable, so that a second slot of
    # the same name gets a number, and checkpoints hold the names that they should.
    with variable_scope(None, f"{base}/{name}"), beside(primary):
        return get_variable(
            "", shape=shape, dtype=dtype, initializer=initializer, trainable=False
        )
