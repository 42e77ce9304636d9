"""Define the Adagrad optimizer."""

from collections.abc import Sequence
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.arguments import static_number
from tpuref.interface.functions.arithmetic import square
from tpuref.interface.functions.exponentials import rsqrt
from tpuref.interface.functions.initializers import Constant, Initializer
from tpuref.interface.training.elementwise import ElementwiseOptimizer


class AdagradOptimizer(ElementwiseOptimizer):
    """Adagrad: divides gradients by the root of the sum of all their squares.

    `learning_rate` is a number, a tensor, or a function without parameters that returns
    one.  `initial_accumulator_value` is the initial value of the sums, positive.
    `use_locking` and `name` are as for `tf.train.Optimizer`.  It raises ValueError if
    `initial_accumulator_value` is not positive.  The slot is ``accumulator``.  A sparse
    gradient changes only its rows.
    """

    def __init__(
        self,
        learning_rate: Any,
        initial_accumulator_value: float = 0.1,
        use_locking: bool = False,
        name: str = "Adagrad",
    ) -> None:
        argument = "tf.train.AdagradOptimizer: initial_accumulator_value"
        if static_number(initial_accumulator_value, argument) <= 0.0:
            raise codes.INVALID_ARGUMENT.value_error(
                f"{argument} must be positive, got {initial_accumulator_value}"
            )
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._initial_accumulator_value = initial_accumulator_value

    def _slot_names(self) -> Sequence[str]:
        return ("accumulator",)

    def _start_of(self, slot: str) -> Initializer:
        return Constant(self._initial_accumulator_value)

    def _rule(self, grad: Tensor, var: Tensor, *slots: Tensor) -> list[Tensor]:
        total = slots[0] + square(grad)
        rate = self._tensor("_learning_rate_tensor", var.dtype)
        return [var - grad * rate * rsqrt(total), total]
