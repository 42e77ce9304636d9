"""Define the FTRL optimizer."""

from collections.abc import Sequence
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.arguments import static_number
from tpuref.interface.functions.arithmetic import abs, multiply, pow, sign, square
from tpuref.interface.functions.creation import zeros_like
from tpuref.interface.functions.exponentials import sqrt
from tpuref.interface.functions.initializers import Constant, Initializer, Zeros
from tpuref.interface.functions.selection import where_v2
from tpuref.interface.training.elementwise import ElementwiseOptimizer


class FtrlOptimizer(ElementwiseOptimizer):
    """FTRL: follow the regularized leader, which sets many weights to exactly zero.

    Other parameters are those of `tf.train.Optimizer`.  It raises ValueError if a
    number is outside of its range.  The slots are ``accum`` and ``linear``.  A sparse
    gradient changes only its rows.

    Parameters
    ----------
    learning_rate
        A number, a tensor, or a function without parameters that returns one.
    learning_rate_power
        The exponent of the sum of squared gradients in the learning rate, at most 0; 0
        for a fixed rate.
    initial_accumulator_value
        The initial value of the sums, at least 0.
    l1_regularization_strength, l2_regularization_strength
        At least 0.
    accum_name, linear_name
        The names of the slots' variables, by default `name`.
    l2_shrinkage_regularization_strength
        At least 0: a penalty of the magnitude of the weights that, unlike L2, does not
        change weights without a gradient.

    Examples
    --------
    >>> w = tf.get_variable("w", initializer=[1.0, 1.0])
    >>> optimizer = tf.train.FtrlOptimizer(0.1, l1_regularization_strength=1.0)
    >>> train_op = optimizer.minimize(tf.reduce_sum(w * [0.001, 9.0]))
    >>> with tf.Session() as sess:
    ...     sess.run(tf.global_variables_initializer())
    ...     for _ in range(20):
    ...         sess.run(train_op)
    ...     (sess.run(w) == 0).tolist()
    [True, False]
    """

    def __init__(
        self,
        learning_rate: Any,
        learning_rate_power: float = -0.5,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "Ftrl",
        accum_name: str | None = None,
        linear_name: str | None = None,
        l2_shrinkage_regularization_strength: float = 0.0,
    ) -> None:
        super().__init__(use_locking, name)
        function = "tf.train.FtrlOptimizer"
        power = static_number(learning_rate_power, f"{function}: learning_rate_power")
        for argument, value in (
            ("initial_accumulator_value", initial_accumulator_value),
            ("l1_regularization_strength", l1_regularization_strength),
            ("l2_regularization_strength", l2_regularization_strength),
            (
                "l2_shrinkage_regularization_strength",
                l2_shrinkage_regularization_strength,
            ),
            ("-learning_rate_power", -power),
        ):
            if static_number(value, f"{function}: {argument}") < 0.0:
                raise codes.INVALID_ARGUMENT.value_error(
                    f"{function}: {argument} must not be negative, got {value}"
                )
        self._learning_rate = learning_rate
        self._learning_rate_power = learning_rate_power
        self._initial_accumulator_value = initial_accumulator_value
        self._l1_regularization_strength = l1_regularization_strength
        self._l2_regularization_strength = l2_regularization_strength
        self._l2_shrinkage_regularization_strength = (
            l2_shrinkage_regularization_strength
        )
        self._accum_name = accum_name
        self._linear_name = linear_name

    def _slot_names(self) -> Sequence[str]:
        return "accum", "linear"

    def _start_of(self, slot: str) -> Initializer:
        accumulates = slot == "accum"
        return Constant(self._initial_accumulator_value) if accumulates else Zeros()

    def _scope_of(self, slot: str) -> str:
        own = self._accum_name if slot == "accum" else self._linear_name
        return own or self._name

    def _rule(self, grad: Tensor, var: Tensor, *slots: Tensor) -> list[Tensor]:
        before, linear = slots
        rate = self._tensor("_learning_rate_tensor", var.dtype)
        after = before + square(grad)
        pull = grad + 2 * self._l2_shrinkage_regularization_strength * var
        growth = self._stiffness(after) - self._stiffness(before)
        linear = linear + pull - growth / rate * var
        l1 = self._l1_regularization_strength
        curvature = self._stiffness(after) / rate + 2 * self._l2_regularization_strength
        leader = (multiply(sign(linear), l1) - linear) / curvature
        return [where_v2(abs(linear) > l1, leader, zeros_like(var)), after, linear]

    def _stiffness(self, total: Tensor) -> Tensor:
        if self._learning_rate_power == -0.5:
            return sqrt(total)
        return pow(total, -self._learning_rate_power)
