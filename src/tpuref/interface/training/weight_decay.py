"""Define optimizers with decoupled weight decay."""

from typing import Any

from tpuref.base.arguments import listed, wrong_type
from tpuref.engine.differentiation.indexed_slices import IndexedSlices
from tpuref.engine.graph.default import executing_eagerly
from tpuref.interface.functions.indexing import gather
from tpuref.interface.functions.scopes import control_dependencies
from tpuref.interface.functions.segments import unique
from tpuref.interface.functions.variable_rows import scatter_sub
from tpuref.interface.training.adam import AdamOptimizer
from tpuref.interface.training.distribution import current_strategy
from tpuref.interface.training.optimizer import Optimizer


class DecoupledWeightDecayExtension:
    """Mixes weight decay into an optimizer: variables shrink before their update.

    A variable decreases by ``weight_decay * variable``; with a sparse gradient, only in
    the rows of the gradient.  Unlike a penalty in the loss, this does not change the
    gradient.  `weight_decay` is a number, a tensor, or a function without parameters
    that returns one.  `**kwargs` are the arguments of the optimizer.

    Examples
    --------
    >>> class SGDW(
    ...     tf.contrib.opt.DecoupledWeightDecayExtension,
    ...     tf.train.GradientDescentOptimizer,
    ... ):
    ...     pass
    >>> SGDW(weight_decay=0.01, learning_rate=0.1).get_name()
    'GradientDescent'
    """

    def __init__(self, weight_decay: Any, **kwargs: Any) -> None:
        self._weight_decay = weight_decay
        self._decay_var_list: list[Any] | None = None
        super().__init__(**kwargs)

    def minimize(self, *args: Any, decay_var_list: Any = None, **kwargs: Any) -> Any:
        """Return an operation that reduces a loss and shrinks variables.

        `*args` and `**kwargs` are as for the optimizer.  `decay_var_list` are the
        variables to shrink, by default all that have a gradient.
        """
        self._decay_var_list = _variables("minimize", decay_var_list)
        return super().minimize(*args, **kwargs)  # type: ignore[misc]

    def apply_gradients(
        self, *args: Any, decay_var_list: Any = None, **kwargs: Any
    ) -> Any:
        """Return an operation that shrinks variables and applies gradients.

        `*args` and `**kwargs` are as for the optimizer.  `decay_var_list` are the
        variables to shrink, by default those of `minimize`, or all.
        """
        chosen = _variables("apply_gradients", decay_var_list)
        if chosen:
            self._decay_var_list = chosen
        return super().apply_gradients(*args, **kwargs)  # type: ignore[misc]

    def _update_op(self, gradient: Any, variable: Any) -> Any:
        if not self._decays(variable):
            return super()._update_op(gradient, variable)  # type: ignore[misc]
        decayed = self._shrink(gradient, variable)
        if executing_eagerly():
            return super()._update_op(gradient, variable)  # type: ignore[misc]
        with control_dependencies([decayed]):
            return super()._update_op(gradient, variable)  # type: ignore[misc]

    def _decays(self, variable: Any) -> bool:
        if self._decay_var_list is None:
            return True
        strategy = current_strategy()
        whole = variable if strategy is None else strategy.value_container(variable)
        return any(v is variable or v is whole for v in self._decay_var_list)

    def _shrink(self, gradient: Any, variable: Any) -> Any:
        share = Optimizer._call_if_callable(self._weight_decay)
        if isinstance(gradient, IndexedSlices):
            rows, _ = unique(gradient.indices)
            lost = share * gather(variable.read_value(), rows)
            return scatter_sub(variable, rows, lost)
        return variable.assign_sub(share * variable.read_value())


def _variables(method: str, variables: Any) -> list[Any] | None:
    if variables is None:
        return None
    argument = f"DecoupledWeightDecayExtension.{method}: decay_var_list"
    return listed(argument, variables, "a list of variables")


def extend_with_decoupled_weight_decay(base_optimizer: type[Any]) -> type[Any]:
    """Return a subclass of optimizers whose first argument is ``weight_decay``."""
    if not isinstance(base_optimizer, type) or not issubclass(
        base_optimizer, Optimizer
    ):
        raise wrong_type(
            "tf.contrib.opt.extend_with_decoupled_weight_decay: base_optimizer",
            "a class of optimizers",
            base_optimizer,
        )

    class OptimizerWithDecoupledWeightDecay(
        DecoupledWeightDecayExtension,
        base_optimizer,  # type: ignore[misc]
    ):
        def __init__(self, weight_decay: Any, *args: Any, **kwargs: Any) -> None:
            super().__init__(weight_decay, *args, **kwargs)

    return OptimizerWithDecoupledWeightDecay


class AdamWOptimizer(DecoupledWeightDecayExtension, AdamOptimizer):
    """`AdamOptimizer` with a `DecoupledWeightDecayExtension`."""

    def __init__(
        self,
        weight_decay: Any,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "AdamW",
    ) -> None:
        super().__init__(
            weight_decay,
            learning_rate=learning_rate,
            beta1=beta1,
            beta2=beta2,
            epsilon=epsilon,
            use_locking=use_locking,
            name=name,
        )
