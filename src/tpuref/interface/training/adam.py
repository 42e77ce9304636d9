"""Define the Adam optimizer."""

from collections.abc import Sequence
from typing import Any

from tpuref.engine.differentiation.indexed_slices import IndexedSlices
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.default import executing_eagerly
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.arithmetic import square
from tpuref.interface.functions.conversion import cast
from tpuref.interface.functions.dependencies import group
from tpuref.interface.functions.exponentials import sqrt
from tpuref.interface.functions.extents import shape
from tpuref.interface.functions.scopes import control_dependencies
from tpuref.interface.training.elementwise import ElementwiseOptimizer


class AdamOptimizer(ElementwiseOptimizer):
    """Adam: divides a running mean of gradients by the root of their mean square.

    The slots are ``m`` and ``v``; ``beta1_power`` and ``beta2_power`` are non-slot
    variables.  As in TensorFlow, `epsilon` is added to the root of the uncorrected
    mean, and a sparse gradient is zero in other rows, which therefore change too.
    `learning_rate`, `beta1`, `beta2` and `epsilon` are numbers, tensors, or functions
    without parameters that return one: the learning rate, the decay rates of the two
    means, and the constant added to the root.  `use_locking` and `name` are as for
    `tf.train.Optimizer`.
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "Adam",
    ) -> None:
        super().__init__(use_locking, name)
        self._lr = learning_rate
        self._beta1 = beta1
        self._beta2 = beta2
        self._epsilon = epsilon

    def _hyperparameters(self) -> dict[str, Any]:
        return {
            "_lr_t": self._lr,
            "_beta1_t": self._beta1,
            "_beta2_t": self._beta2,
            "_epsilon_t": self._epsilon,
        }

    def _slot_names(self) -> Sequence[str]:
        return "m", "v"

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        first = min(var_list, key=lambda var: str(var.name))
        for name, beta in (("beta1_power", self._beta1), ("beta2_power", self._beta2)):
            self._create_non_slot_variable(self._call_if_callable(beta), name, first)
        super()._create_slots(var_list)

    def _get_beta_accumulators(self) -> tuple[Any, Any]:
        """Return the variables with the powers of the two betas."""
        return (
            self._get_non_slot_variable("beta1_power"),
            self._get_non_slot_variable("beta2_power"),
        )

    def _rule(self, grad: Tensor, var: Tensor, *slots: Tensor) -> list[Tensor]:
        mean, mean_square = slots
        beta1 = self._tensor("_beta1_t", var.dtype)
        beta2 = self._tensor("_beta2_t", var.dtype)
        power1, power2 = [
            cast(power.value(), var.dtype) for power in self._get_beta_accumulators()
        ]
        rate = self._tensor("_lr_t", var.dtype)
        rate = rate * sqrt(1 - power2) / (1 - power1)
        mean = mean + (grad - mean) * (1 - beta1)
        mean_square = mean_square + (square(grad) - mean_square) * (1 - beta2)
        root = sqrt(mean_square) + self._tensor("_epsilon_t", var.dtype)
        return [var - mean * rate / root, mean, mean_square]

    def _resource_apply_sparse(self, grad: Tensor, handle: Any, indices: Tensor) -> Any:
        slices = IndexedSlices(grad, indices, shape(handle.value()))
        return self._apply_dense(convert_to_tensor(slices), handle)

    def _finish(self, update_ops: Sequence[Any], name_scope: str) -> Any:
        if executing_eagerly():
            self._grow_powers()
            return None
        # Updates of variables read the powers, which therefore change last.
        with control_dependencies(update_ops):
            return group(*update_ops, *self._grow_powers(), name=name_scope)

    def _grow_powers(self) -> list[Any]:
        return [
            power.assign(power.value() * self._tensor(name, power.dtype))
            for power, name in zip(
                self._get_beta_accumulators(), ("_beta1_t", "_beta2_t"), strict=True
            )
        ]
