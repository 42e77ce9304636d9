"""Define the base of optimizers that update each element independently."""

from collections.abc import Sequence
from typing import Any

from tpuref.base.dtypes import DType
from tpuref.engine.differentiation.indexed_slices import IndexedSlices
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.conversion import cast
from tpuref.interface.functions.dependencies import group
from tpuref.interface.functions.indexing import gather
from tpuref.interface.functions.initializers import Initializer, Zeros
from tpuref.interface.functions.variable_rows import scatter_update
from tpuref.interface.training.optimizer import Optimizer


class ElementwiseOptimizer(Optimizer):
    """The base of optimizers whose rule updates each element independently.

    A subclass defines the rule, the names of its slots and its hyperparameters.  As in
    TensorFlow, a sparse gradient changes only its rows of the variable and the slots.
    """

    _learning_rate: Any

    def _rule(self, grad: Tensor, var: Tensor, *slots: Tensor) -> Sequence[Tensor]:
        """Return the new values of a variable and of its slots."""
        raise NotImplementedError

    def _slot_names(self) -> Sequence[str]:
        """Return the names of the slots, in the order of the rule's arguments."""
        return ()

    def _hyperparameters(self) -> dict[str, Any]:
        """Return a map from attributes, which `_prepare` sets, to hyperparameters.

        The attributes have the names of TensorFlow's optimizers, for subclasses that
        were written for those.  By default it is the learning rate alone.
        """
        return {"_learning_rate_tensor": self._learning_rate}

    def _start_of(self, slot: str) -> Initializer:
        """Return the initializer of a slot."""
        return Zeros()

    def _scope_of(self, slot: str) -> str:
        """Return the name of a slot's variables, after that of the primary variable."""
        return self._name

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for var in var_list:
            for name in self._slot_names():
                start, scope = self._start_of(name), self._scope_of(name)
                self._get_or_make_slot_with_initializer(
                    var, start, var.shape, var.dtype, name, scope
                )

    def _prepare(self) -> None:
        for attribute, value in self._hyperparameters().items():
            setattr(self, attribute, convert_to_tensor(self._call_if_callable(value)))

    def _tensor(self, attribute: str, dtype: DType) -> Tensor:
        """Return a hyperparameter in the dtype of a variable."""
        return cast(getattr(self, attribute), dtype)

    def _apply_rule(self, grad: Tensor, var: Any) -> Any:
        variables = self._variable_and_slots(var)
        news = self._rule(grad, *[v.read_value() for v in variables])
        return group(*[v.assign(n) for v, n in zip(variables, news, strict=True)])

    def _apply_dense(self, grad: Tensor, var: Any) -> Any:
        return self._apply_rule(grad, var)

    def _resource_apply_dense(self, grad: Tensor, handle: Any) -> Any:
        return self._apply_rule(grad, handle)

    def _resource_apply_sparse(self, grad: Tensor, handle: Any, indices: Tensor) -> Any:
        variables = self._variable_and_slots(handle)
        news = self._rule(grad, *[gather(v.read_value(), indices) for v in variables])
        return group(
            *[
                scatter_update(v, indices, n)
                for v, n in zip(variables, news, strict=True)
            ]
        )

    def _apply_sparse(self, grad: IndexedSlices, var: Any) -> Any:
        return self._resource_apply_sparse(grad.values, var, grad.indices)

    def _variable_and_slots(self, var: Any) -> list[Any]:
        return [var, *(self.get_slot(var, name) for name in self._slot_names())]
