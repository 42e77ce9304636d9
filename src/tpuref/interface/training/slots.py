"""Create slots: an optimizer's variables for each variable that it optimizes."""

from typing import Any

from tpuref.interface.functions.variable_scope import get_variable, variable_scope
from tpuref.interface.training.distribution import beside


def create_slot(
    primary: Any, initializer: Any, name: str, shape: Any = None, dtype: Any = None
) -> Any:
    """Create a non-trainable variable named after `primary`."""
    base = primary.name.partition(":")[0]
    # As in TensorFlow, the scope itself names the variable.  So a second slot of the
    # same name gets a number, and checkpoints have TensorFlow's names.
    with variable_scope(None, f"{base}/{name}"), beside(primary):
        return get_variable(
            "", shape=shape, dtype=dtype, initializer=initializer, trainable=False
        )
