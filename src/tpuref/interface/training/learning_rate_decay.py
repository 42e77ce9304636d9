"""Define learning rates that decrease with the steps."""

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

from tpuref.base import error_codes as codes
from tpuref.base.arguments import listed
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.default import executing_eagerly
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions import conversion
from tpuref.interface.functions.arithmetic import minimum, multiply, pow
from tpuref.interface.functions.rounding import ceil, floor
from tpuref.interface.functions.scopes import name_scope
from tpuref.interface.functions.selection import where_v2
from tpuref.interface.functions.trigonometry import cos

Decay = TypeVar("Decay", bound=Callable[..., Any])


def _as_function_in_eager_mode(decay: Decay) -> Decay:
    """Make a decay return a function in eager mode, where a tensor never changes."""

    @functools.wraps(decay)
    def chosen(*args: Any, **kwargs: Any) -> Any:
        if executing_eagerly():
            return functools.partial(decay, *args, **kwargs)
        return decay(*args, **kwargs)

    return cast(Decay, chosen)


def _in_dtype_of_rate(
    decay: str, rate: Any, global_step: Any, *others: Any
) -> tuple[Tensor, ...]:
    """Return a learning rate, and the step and other numbers in its dtype."""
    if global_step is None:
        raise codes.INVALID_ARGUMENT.value_error(
            f"tf.train.{decay}: global_step must not be None; "
            "tf.train.get_or_create_global_step() returns it"
        )
    first = convert_to_tensor(rate, name="learning_rate")
    numbers = (convert_to_tensor(number) for number in (global_step, *others))
    return first, *(conversion.cast(number, first.dtype) for number in numbers)


@_as_function_in_eager_mode
def exponential_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Any:
    """Return ``learning_rate * decay_rate ** (global_step / decay_steps)``.

    In eager mode, return a function without parameters that returns it, which
    optimizers accept.  `global_step` is the number of steps so far.  `decay_steps` is
    the number of steps of a decay by `decay_rate`.  `staircase` says whether the
    learning rate changes only every `decay_steps` steps.  It raises ValueError if
    `global_step` is None.

    Examples
    --------
    >>> rates = [tf.train.exponential_decay(1.0, k, 10, 0.5) for k in (0, 10, 20)]
    >>> [float(rate) for rate in tf.Session().run(rates)]
    [1.0, 0.5, 0.25]
    """
    with name_scope(name, "ExponentialDecay"):
        rate, step, steps, remaining = _in_dtype_of_rate(
            "exponential_decay", learning_rate, global_step, decay_steps, decay_rate
        )
        turns = step / steps
        return rate * pow(remaining, floor(turns) if staircase else turns)


@_as_function_in_eager_mode
def inverse_time_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Any:
    """Return ``learning_rate / (1 + decay_rate * global_step / decay_steps)``.

    `learning_rate`, `global_step`, `decay_steps`, `staircase` and `name` are as for
    `tf.train.exponential_decay`.  `decay_rate` is the growth of the divisor in
    `decay_steps` steps.
    """
    with name_scope(name, "InverseTimeDecay"):
        rate, step, steps, growth = _in_dtype_of_rate(
            "inverse_time_decay", learning_rate, global_step, decay_steps, decay_rate
        )
        turns = step / steps
        return rate / (1 + growth * (floor(turns) if staircase else turns))


@_as_function_in_eager_mode
def polynomial_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    end_learning_rate: Any = 0.0001,
    power: Any = 1.0,
    cycle: bool = False,
    name: str | None = None,
) -> Any:
    """Return a learning rate that decreases to another one as a power of the steps.

    `decay_steps` is the number of steps to reach `end_learning_rate`.  `power` is the
    power; 1 is linear.  `cycle` says whether the decay continues after `decay_steps`
    with twice that number, then three times and so on, so that the learning rate rises
    and decreases again.  Other parameters are those of `tf.train.exponential_decay`.

    Examples
    --------
    >>> rates = [tf.train.polynomial_decay(1.0, k, 10, 0.0) for k in (0, 5, 10, 20)]
    >>> [float(rate) for rate in tf.Session().run(rates)]
    [1.0, 0.5, 0.0, 0.0]
    """
    with name_scope(name, "PolynomialDecay"):
        rate, step, steps, last, exponent = _in_dtype_of_rate(
            "polynomial_decay",
            learning_rate,
            global_step,
            decay_steps,
            end_learning_rate,
            power,
        )
        if cycle:
            steps = steps * where_v2(step > 0, ceil(step / steps), 1.0)
        else:
            step = minimum(step, steps)
        return (rate - last) * pow(1 - step / steps, exponent) + last


@_as_function_in_eager_mode
def piecewise_constant(
    x: Any, boundaries: Sequence[Any], values: Sequence[Any], name: str | None = None
) -> Any:
    """Return one of several values, depending on the step.

    In eager mode, return a function without parameters that returns it.  `x` is the
    number of steps so far.  `boundaries` are the last step of each value but the last,
    in increasing order, converted to the dtype of `x`.  `values` are the values, one
    more than boundaries, of one dtype.  It raises ValueError if there is not one more
    value than boundaries, or the dtypes differ.

    Examples
    --------
    >>> rates = [tf.train.piecewise_constant(k, [2, 4], [9., 5., 1.]) for k in range(6)]
    >>> [float(rate) for rate in tf.Session().run(rates)]
    [9.0, 9.0, 9.0, 5.0, 5.0, 1.0]
    """
    boundaries = listed("tf.train.piecewise_constant: boundaries", boundaries)
    values = listed("tf.train.piecewise_constant: values", values)
    if len(boundaries) != len(values) - 1:
        raise codes.INVALID_ARGUMENT.value_error(
            "tf.train.piecewise_constant: there must be one value more than "
            f"boundaries, got {len(values)} values and {len(boundaries)} boundaries"
        )
    with name_scope(name, "PiecewiseConstant"):
        step = convert_to_tensor(x)
        options = [convert_to_tensor(value) for value in values]
        if len({option.dtype for option in options}) > 1:
            raise codes.INVALID_ARGUMENT.value_error(
                "tf.train.piecewise_constant: the values must have one element type, "
                f"got {', '.join(option.describe() for option in options)}"
            )
        result = options[-1]
        for boundary, option in zip(
            reversed(boundaries), reversed(options[:-1]), strict=True
        ):
            result = where_v2(
                step <= conversion.cast(boundary, step.dtype), option, result
            )
        return result


piecewise_constant_decay = piecewise_constant


@_as_function_in_eager_mode
def cosine_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    alpha: Any = 0.0,
    name: str | None = None,
) -> Any:
    """Return a learning rate that decreases along half a period of the cosine.

    `learning_rate`, `global_step` and `name` are as for `tf.train.exponential_decay`.
    `decay_steps` is the number of steps of the decay.  `alpha` is the final fraction of
    the learning rate.

    Examples
    --------
    >>> rates = [tf.train.cosine_decay(1.0, k, 10, alpha=0.5) for k in (0, 5, 10, 20)]
    >>> [float(rate) for rate in tf.Session().run(rates)]
    [1.0, 0.75, 0.5, 0.5]
    """
    with name_scope(name, "CosineDecay"):
        rate, step, steps, rest = _in_dtype_of_rate(
            "cosine_decay", learning_rate, global_step, decay_steps, alpha
        )
        half = 0.5 * (1.0 + cos(math.pi * (minimum(step, steps) / steps)))
        return multiply(rate, (1 - rest) * half + rest)
