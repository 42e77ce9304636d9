"""Learning rates that fall with the steps."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

from tpuref.base import error_codes as codes
from tpuref.base.arguments import listed
from tpuref.base.errors import coded
from tpuref.functions import conversion
from tpuref.functions.arithmetic import minimum, multiply, pow, truediv
from tpuref.functions.comparison import equal
from tpuref.functions.exponentials import exp, log
from tpuref.functions.rounding import ceil, floor
from tpuref.functions.scopes import name_scope
from tpuref.functions.selection import where_v2
from tpuref.functions.trigonometry import cos
from tpuref.graph.convert import convert_to_tensor
from tpuref.graph.default import executing_eagerly
from tpuref.graph.tensor import Tensor

__all__ = [
    "cosine_decay",
    "cosine_decay_restarts",
    "exponential_decay",
    "inverse_time_decay",
    "natural_exp_decay",
    "piecewise_constant",
    "piecewise_constant_decay",
    "polynomial_decay",
]

Decay = TypeVar("Decay", bound=Callable[..., Any])


def _asked_again(decay: Decay) -> Decay:
    """Let a decay return a function in eager mode, where a tensor would never fall."""

    @functools.wraps(decay)
    def chosen(*args: Any, **kwargs: Any) -> Any:
        if executing_eagerly():
            return functools.partial(decay, *args, **kwargs)
        return decay(*args, **kwargs)

    return cast(Decay, chosen)


def _steps(decay: str, rate: Any, global_step: Any, *others: Any) -> tuple[Tensor, ...]:
    """Return a learning rate, and the step and other numbers in its element type."""
    if global_step is None:
        raise coded(
            ValueError,
            f"tf.train.{decay}: global_step must be given; "
            "tf.train.get_or_create_global_step() returns it",
            code=codes.INVALID_ARGUMENT,
        )
    first = convert_to_tensor(rate, name="learning_rate")
    numbers = (convert_to_tensor(number) for number in (global_step, *others))
    return first, *(conversion.cast(number, first.dtype) for number in numbers)


@_asked_again
def exponential_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Any:
    """Return ``learning_rate * decay_rate ** (global_step / decay_steps)``.

    Parameters
    ----------
    learning_rate
        The learning rate at the start.
    global_step
        The number of steps so far.
    decay_steps
        In how many steps it falls to `decay_rate` of what it was.
    decay_rate
        How much then remains.
    staircase
        Whether it falls at once, every `decay_steps` steps.
    name
        The name of the scope.

    Returns
    -------
    Tensor
        The learning rate, with its element type.  In eager mode a function without
        parameters that returns it, which optimizers accept.

    Raises
    ------
    ValueError
        If `global_step` is None.

    Examples
    --------
    >>> import tpuref as tf
    >>> rates = [tf.train.exponential_decay(1.0, k, 10, 0.5) for k in (0, 10, 20)]
    >>> [float(rate) for rate in tf.Session().run(rates)]
    [1.0, 0.5, 0.25]
    """
    with name_scope(name, "ExponentialDecay"):
        rate, step, steps, remaining = _steps(
            "exponential_decay", learning_rate, global_step, decay_steps, decay_rate
        )
        turns = step / steps
        return rate * pow(remaining, floor(turns) if staircase else turns)


@_asked_again
def natural_exp_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Any:
    """Return ``learning_rate * exp(-decay_rate * global_step / decay_steps)``.

    Parameters
    ----------
    learning_rate, global_step, decay_steps, staircase, name
        As for `tf.train.exponential_decay`.
    decay_rate
        The exponent after `decay_steps` steps, without its sign.

    Returns
    -------
    Tensor
        As for `tf.train.exponential_decay`.

    Examples
    --------
    >>> import tpuref as tf
    >>> rate = tf.train.natural_exp_decay(1.0, 2, 1, 0.5)
    >>> round(float(tf.Session().run(rate)), 4)
    0.3679
    """
    with name_scope(name, "NaturalExpDecay"):
        rate, step, steps, exponent = _steps(
            "natural_exp_decay", learning_rate, global_step, decay_steps, decay_rate
        )
        turns = step / steps
        return rate * exp(-exponent * (floor(turns) if staircase else turns))


@_asked_again
def inverse_time_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Any:
    """Return ``learning_rate / (1 + decay_rate * global_step / decay_steps)``.

    Parameters
    ----------
    learning_rate, global_step, decay_steps, staircase, name
        As for `tf.train.exponential_decay`.
    decay_rate
        How much the divisor grows in `decay_steps` steps.

    Returns
    -------
    Tensor
        As for `tf.train.exponential_decay`.

    Examples
    --------
    >>> import tpuref as tf
    >>> rate = tf.train.inverse_time_decay(1.0, 2, 1, 0.5)
    >>> float(tf.Session().run(rate))
    0.5
    """
    with name_scope(name, "InverseTimeDecay"):
        rate, step, steps, growth = _steps(
            "inverse_time_decay", learning_rate, global_step, decay_steps, decay_rate
        )
        turns = step / steps
        return rate / (1 + growth * (floor(turns) if staircase else turns))


@_asked_again
def polynomial_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    end_learning_rate: Any = 0.0001,
    power: Any = 1.0,
    cycle: bool = False,
    name: str | None = None,
) -> Any:
    """Return a learning rate that falls to another one, along a power of the steps.

    Parameters
    ----------
    learning_rate, global_step, name
        As for `tf.train.exponential_decay`.
    decay_steps
        After how many steps it is `end_learning_rate`.
    end_learning_rate
        The learning rate at the end.
    power
        The power; 1 is a straight line.
    cycle
        Whether `decay_steps` doubles, triples and so on once it is over, so that the
        learning rate rises and falls again.

    Returns
    -------
    Tensor
        As for `tf.train.exponential_decay`.

    Examples
    --------
    >>> import tpuref as tf
    >>> rates = [tf.train.polynomial_decay(1.0, k, 10, 0.0) for k in (0, 5, 10, 20)]
    >>> [float(rate) for rate in tf.Session().run(rates)]
    [1.0, 0.5, 0.0, 0.0]
    """
    with name_scope(name, "PolynomialDecay"):
        rate, step, steps, last, exponent = _steps(
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


@_asked_again
def piecewise_constant(
    x: Any, boundaries: Sequence[Any], values: Sequence[Any], name: str | None = None
) -> Any:
    """Return one of several values, depending on the step.

    Parameters
    ----------
    x
        The number of steps so far.
    boundaries
        The last step of each value but the last, in rising order; a number that is not
        of the type of `x` is converted.
    values
        The values, one more than boundaries, of one element type.
    name
        The name of the scope.

    Returns
    -------
    Tensor
        The value; in eager mode a function without parameters that returns it.

    Raises
    ------
    ValueError
        If there is not one value more than boundaries, or their types differ.

    Examples
    --------
    >>> import tpuref as tf
    >>> rates = [tf.train.piecewise_constant(k, [2, 4], [9., 5., 1.]) for k in range(6)]
    >>> [float(rate) for rate in tf.Session().run(rates)]
    [9.0, 9.0, 9.0, 5.0, 5.0, 1.0]
    """
    boundaries = listed("tf.train.piecewise_constant: boundaries", boundaries)
    values = listed("tf.train.piecewise_constant: values", values)
    if len(boundaries) != len(values) - 1:
        raise coded(
            ValueError,
            "tf.train.piecewise_constant: there must be one value more than "
            f"boundaries, got {len(values)} values and {len(boundaries)} boundaries",
            code=codes.INVALID_ARGUMENT,
        )
    with name_scope(name, "PiecewiseConstant"):
        step = convert_to_tensor(x)
        options = [convert_to_tensor(value) for value in values]
        if len({option.dtype for option in options}) > 1:
            raise coded(
                ValueError,
                "tf.train.piecewise_constant: the values must have one element type, "
                f"got {', '.join(option.describe() for option in options)}",
                code=codes.INVALID_ARGUMENT,
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


@_asked_again
def cosine_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    alpha: Any = 0.0,
    name: str | None = None,
) -> Any:
    """Return a learning rate that falls along half a period of the cosine.

    Parameters
    ----------
    learning_rate, global_step, name
        As for `tf.train.exponential_decay`.
    decay_steps
        After how many steps it has fallen to `alpha` of what it was.
    alpha
        How much of it remains.

    Returns
    -------
    Tensor
        As for `tf.train.exponential_decay`.

    Examples
    --------
    >>> import tpuref as tf
    >>> rates = [tf.train.cosine_decay(1.0, k, 10, alpha=0.5) for k in (0, 5, 10, 20)]
    >>> [float(rate) for rate in tf.Session().run(rates)]
    [1.0, 0.75, 0.5, 0.5]
    """
    with name_scope(name, "CosineDecay"):
        rate, step, steps, rest = _steps(
            "cosine_decay", learning_rate, global_step, decay_steps, alpha
        )
        return multiply(rate, _fallen(minimum(step, steps) / steps, 1.0, rest))


@_asked_again
def cosine_decay_restarts(
    learning_rate: Any,
    global_step: Any,
    first_decay_steps: Any,
    t_mul: Any = 2.0,
    m_mul: Any = 1.0,
    alpha: Any = 0.0,
    name: str | None = None,
) -> Any:
    """Return a learning rate that falls along a cosine and starts again.

    Parameters
    ----------
    learning_rate, global_step, name
        As for `tf.train.exponential_decay`.
    first_decay_steps
        After how many steps it starts again for the first time.
    t_mul
        How many times as long each period is as the one before.
    m_mul
        What part of the learning rate before each period starts with.
    alpha
        How much of `learning_rate` always remains.

    Returns
    -------
    Tensor
        As for `tf.train.exponential_decay`.

    Examples
    --------
    >>> import tpuref as tf
    >>> rates = [tf.train.cosine_decay_restarts(1.0, k, 10) for k in (0, 5, 10, 20)]
    >>> [round(float(rate), 6) for rate in tf.Session().run(rates)]
    [1.0, 0.5, 1.0, 0.5]
    """
    with name_scope(name, "SGDRDecay"):
        rate, step, steps, longer, lower, rest = _steps(
            "cosine_decay_restarts",
            learning_rate,
            global_step,
            first_decay_steps,
            t_mul,
            m_mul,
            alpha,
        )
        periods, fraction = _periods(step / steps, longer)
        return multiply(rate, _fallen(fraction, pow(lower, periods), rest))


def _periods(turns: Tensor, longer: Tensor) -> tuple[Tensor, Tensor]:
    """Return how many periods are over, and how much of the current one is.

    Periods last 1, `longer`, `longer` squared and so on.
    """
    even = floor(turns)
    is_even = equal(longer, 1.0)
    safe = where_v2(is_even, 2.0, longer)  # the other branch must not divide by zero
    count = floor(log(1.0 - turns * (1.0 - safe)) / log(safe))
    length = pow(safe, count)
    fraction = (turns - truediv(1.0 - length, 1.0 - safe)) / length
    return where_v2(is_even, even, count), where_v2(is_even, turns - even, fraction)


def _fallen(fraction: Tensor, height: Any, rest: Tensor) -> Tensor:
    """Return the part of a learning rate that remains within a period."""
    half = 0.5 * height * (1.0 + cos(math.pi * fraction))
    remaining: Tensor = (1 - rest) * half + rest
    return remaining
