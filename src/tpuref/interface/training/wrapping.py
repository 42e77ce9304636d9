"""Define the base of optimizers that change gradients for another optimizer."""

from typing import Any

from tpuref.interface.training.optimizer import Optimizer


class WrappingOptimizer(Optimizer):
    """The base of optimizers that change gradients for a wrapped optimizer."""

    def __init__(self, opt: Optimizer, name: str) -> None:
        super().__init__(False, name)
        self._opt = opt

    def get_slot(self, *args: Any, **kwargs: Any) -> Any:
        """Return a slot of the wrapped optimizer."""
        return self._opt.get_slot(*args, **kwargs)

    def get_slot_names(self, *args: Any, **kwargs: Any) -> list[str]:
        """Return the names of the slots of the wrapped optimizer."""
        return self._opt.get_slot_names(*args, **kwargs)

    def variables(self) -> list[Any]:
        """Return the variables of the wrapped optimizer."""
        return self._opt.variables()
