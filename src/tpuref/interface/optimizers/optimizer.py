"""The base of the optimizers of TensorFlow 2, which count their own steps."""

from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base import nest
from tpuref.base.dtypes import DType, float32, int64
from tpuref.engine.graph.aggregation import VariableAggregation
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.default import begin_eagerly, init_scope
from tpuref.engine.graph.tensor import Tensor
from tpuref.engine.graph.variables import Variable
from tpuref.interface.functions.conversion import cast
from tpuref.interface.functions.initializers import Constant, Initializer
from tpuref.interface.gradients.tape import GradientTape
from tpuref.interface.optimizers.learning_rate_schedules import LearningRateSchedule
from tpuref.interface.training.distribution import current_strategy, current_tower
from tpuref.interface.training.elementwise import ElementwiseOptimizer
from tpuref.names.members import explain_missing_members


@explain_missing_members("tf.optimizers.Optimizer")
class Optimizer(ElementwiseOptimizer):
    """Changes variables by their gradients, and counts its steps.

    A subclass defines the rule for one variable, and the names of its slots.
    `learning_rate` is a number, a `tf.optimizers.schedules.LearningRateSchedule`, or a
    function without parameters that returns a number.  `name` is the name of the
    operations, and of the slots.  `lr` is the earlier name of `learning_rate`.  The
    learning rate is divided by 1 + `decay` times the number of steps.
    """

    def __init__(
        self, learning_rate: Any, name: str, lr: float | None = None, decay: float = 0.0
    ) -> None:
        begin_eagerly()
        super().__init__(False, name)
        self._given_rate = learning_rate if lr is None else lr
        self._decay = decay
        self._rate: Any = None
        self._steps: Any = None

    # -- the state -----------------------------------------------------------------

    @property
    def iterations(self) -> Any:
        """The variable that counts the steps."""
        if self._steps is None:
            self._steps = self._own_variable(0, int64, "iter")
        return self._steps

    @property
    def learning_rate(self) -> Any:
        """The schedule, the function, or the variable that holds the number."""
        if callable(self._given_rate):
            return self._given_rate
        if self._rate is None:
            self._rate = self._own_variable(self._given_rate, float32, "learning_rate")
        return self._rate

    @learning_rate.setter
    def learning_rate(self, value: Any) -> None:
        if self._rate is None or callable(value):
            self._given_rate, self._rate = value, None
        else:
            self._rate.assign(value)

    lr = learning_rate

    def _own_variable(self, start: Any, dtype: DType, name: str) -> Any:
        with init_scope():
            return Variable(
                start,
                trainable=False,
                name=f"{self._name}/{name}",
                dtype=dtype,
                aggregation=VariableAggregation.ONLY_FIRST_TOWER,
            )

    @property
    def weights(self) -> list[Any]:
        """The variables that the optimizer keeps, the count of steps first."""
        return [self.iterations, *self.variables()]

    def _trackable_children(self) -> dict[str, Any]:
        """Return the variables that a checkpoint saves besides slots."""
        own = {"iter": self._steps, "learning_rate": self._rate}
        present = {name: v for name, v in own.items() if v is not None}
        return {**super()._trackable_children(), **present}

    def get_config(self) -> dict[str, Any]:
        """Return the name and the learning rate."""
        return {"name": self._name, "learning_rate": self._given_rate}

    # -- steps ---------------------------------------------------------------------

    def minimize(  # type: ignore[override]
        self,
        loss: Any,
        var_list: Any,
        grad_loss: Any = None,
        name: str | None = None,
        tape: GradientTape | None = None,
    ) -> Any:
        """Reduce a loss by one step.

        `loss` is a function without parameters, or a tensor that `tape` recorded.
        `var_list` are the variables, or a function that returns them.  `grad_loss` is
        the gradient of the loss, by default 1.  `tape` is the tape that recorded the
        loss.  It raises ValueError if the loss is a tensor and there is no tape.
        """
        recorded = tape or GradientTape()
        if callable(loss):
            with recorded:
                loss = loss()
        elif tape is None:
            raise codes.INVALID_ARGUMENT.value_error(
                f"{type(self).__name__}.minimize: the loss is a value; give tape=, the "
                "tf.GradientTape within which it was computed, or a function without "
                "parameters"
            )
        variables = nest.flatten(var_list() if callable(var_list) else var_list)
        seeds = None if grad_loss is None else [grad_loss]
        gradients = recorded.gradient(loss, variables, seeds)
        pairs = list(zip(gradients, variables, strict=True))
        return self.apply_gradients(pairs, name=name)

    def apply_gradients(  # type: ignore[override]
        self,
        grads_and_vars: Any,
        name: str | None = None,
        experimental_aggregate_gradients: bool = True,
    ) -> Any:
        """Change variables by their gradients, and count the step.

        `grads_and_vars` are pairs of gradient and variable; a variable whose gradient
        is None does not change.  `experimental_aggregate_gradients` says whether to sum
        the gradients of all replicas first.  It raises ValueError without a gradient,
        and RuntimeError in the scope of a strategy outside of its replicas.

        Examples
        --------
        >>> with tf.eager_execution():
        ...     w = tf.Variable(3.0)
        ...     optimizer = tf.optimizers.SGD(0.5)
        ...     _ = optimizer.apply_gradients([(tf.constant(2.0), w)])
        ...     float(w), int(optimizer.iterations)
        (2.0, 1)
        """
        pairs = list(grads_and_vars)
        tower, strategy = current_tower(), current_strategy()
        if experimental_aggregate_gradients or tower is None or strategy is None:
            return super().apply_gradients(pairs, self.iterations, name)
        count = (
            1.0 / strategy.num_replicas_in_sync
        )  # equal in all replicas, and summed again
        scaled = [(g if g is None else g * count, v) for g, v in pairs]
        return super().apply_gradients(scaled, self.iterations, name)

    def _start_of(self, slot: str) -> Initializer:
        return Constant(0.0)

    def _scope_of(self, slot: str) -> str:
        return f"{self._name}/{slot}"

    def add_slot(self, var: Any, slot_name: str, initializer: Any = "zeros") -> Any:
        """Return a slot of a variable, created once.

        The initial value is ``"zeros"``, or an initializer makes it.
        """
        start = Constant(0.0) if initializer == "zeros" else initializer
        with init_scope():
            return self._get_or_make_slot_with_initializer(
                var, start, var.shape, var.dtype, slot_name, self._scope_of(slot_name)
            )

    # -- hyperparameters -----------------------------------------------------------

    def _hyperparameters(self) -> dict[str, Any]:
        made = cast(self.iterations.read_value(), float32)
        return {"_rate_now": self._rate_at(made), "_step": made + 1.0}

    def _rate_at(self, made: Tensor) -> Tensor:
        """Return the learning rate after so many steps."""
        rate = self.learning_rate
        if isinstance(rate, LearningRateSchedule):
            return cast(rate(made), float32)
        value = cast(convert_to_tensor(rate() if callable(rate) else rate), float32)
        return value / (1.0 + self._decay * made) if self._decay else value

    def _prepare(self) -> None:
        for attribute, value in self._hyperparameters().items():
            setattr(self, attribute, value)
