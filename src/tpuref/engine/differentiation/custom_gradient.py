"""`tf.custom_gradient`: functions that define their own gradient."""

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base import nest
from tpuref.base.callsite import user_site
from tpuref.engine.differentiation.walk import RULE
from tpuref.engine.graph.build import apply_all
from tpuref.engine.graph.context import context
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.default import executing_eagerly
from tpuref.engine.graph.recorder import AppliedOperation, record, recording_to
from tpuref.engine.graph.tensor import Tensor
from tpuref.engine.graph.variables import Variable
from tpuref.engine.ops.sources import IDENTITY_N


def custom_gradient(f: Callable[..., Any]) -> Callable[..., Any]:
    """Let a function define its own gradient.

    The decorated function returns the result alone.  `f` returns its result, a tensor
    or a nest of tensors, and a function that gives the gradients of its positional
    arguments from those of the result's tensors.  If it reads trainable variables, that
    function also takes ``variables=``, the list of them, and returns a pair: the
    gradients of the arguments, and the list of those of the variables.

    A call raises TypeError if `f` does not return a pair, reads variables but its
    gradient does not take ``variables``, or keyword arguments hold tensors.
    Differentiation raises ValueError if the number of gradients is wrong.

    Examples
    --------
    >>> @tf.custom_gradient
    ... def log1pexp(x):
    ...     e = tf.exp(x)
    ...     return tf.math.log(1.0 + e), lambda dy: dy * (1.0 - 1.0 / (1.0 + e))
    >>> x = tf.constant(100.0)
    >>> (gradient,) = tf.gradients(log1pexp(x), x)
    >>> float(tf.Session().run(gradient))
    1.0
    """

    @functools.wraps(f)
    def decorated(*args: Any, **kwargs: Any) -> Any:
        tensors = nest.map_structure(convert_to_tensor, list(args))
        reads = _Reads(args)
        outer = [one for one in context.recorders if isinstance(one, _Reads)]
        with recording_to([*outer, reads]):
            result, gradient = _check_pair(f, f(*tensors, **kwargs))
        variables = reads.variables
        if variables and "variables" not in _parameters(gradient):
            raise codes.INVALID_ARGUMENT.type_error(
                f"tf.custom_gradient: {_name(f)} reads the variables "
                f"{[v.name for v in variables]}, so its gradient must take variables= "
                "and return their gradients too"
            )
        values = [convert_to_tensor(leaf) for leaf in nest.flatten(result)]
        rule = _rule(f, gradient, len(values), len(nest.flatten(tensors)), variables)
        inputs = [*values, *nest.flatten(tensors)]
        inputs += [variable.read_value() for variable in variables]
        outputs = passed_through(inputs, rule)
        return nest.pack_sequence_as(result, outputs[: len(values)])

    return decorated


class _Reads:
    """Records the trainable variables that are read, other than arguments."""

    def __init__(self, args: Sequence[Any]) -> None:
        self._known = {a.handle for a in args if isinstance(a, Variable)}
        self.variables: list[Variable] = []

    def record(self, operation: Any) -> None:
        """Ignore an operation."""

    def record_read(self, variable: Variable) -> None:
        """Record a variable."""
        if variable.trainable and variable.handle not in self._known:
            self._known.add(variable.handle)
            self.variables.append(variable)


def _check_pair(f: Callable[..., Any], returned: Any) -> tuple[Any, Callable[..., Any]]:
    pair = isinstance(returned, (tuple, list)) and len(returned) == 2
    if not pair or not callable(returned[1]):
        raise codes.INVALID_ARGUMENT.type_error(
            f"tf.custom_gradient: {_name(f)} must return its result and a function "
            f"that gives the gradients of its arguments, got {returned!r}"
        )
    return returned[0], returned[1]


def _name(f: Callable[..., Any]) -> str:
    return getattr(f, "__qualname__", type(f).__name__)


def _parameters(function: Callable[..., Any]) -> Sequence[str]:
    """Return the names of the parameters; "variables" if the function takes ``**``."""
    parameters = inspect.signature(function).parameters.values()
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        return ["variables"]
    return [p.name for p in parameters]


def _rule(
    f: Callable[..., Any],
    gradient: Callable[..., Any],
    results: int,
    arguments: int,
    variables: Sequence[Variable],
) -> Callable[..., Any]:
    """Return the gradient rule of the IdentityN that wraps results and arguments."""

    def rule(apply: Any, op: Any, *dys: Any) -> list[Any]:
        if variables:
            own, read = gradient(*dys[:results], variables=list(variables))
            parts = [*_flatten(own), *_flatten(read)]
        else:
            parts = _flatten(gradient(*dys[:results]))
        if len(parts) != arguments + len(variables):
            raise codes.INVALID_ARGUMENT.value_error(
                f"tf.custom_gradient: the gradient of {_name(f)} returns {len(parts)} "
                f"values, expected one for each of {arguments} arguments and "
                f"{len(variables)} variables"
            )
        tensors = [None if p is None else convert_to_tensor(p) for p in parts]
        return [*[None] * results, *tensors]

    return rule


def _flatten(values: Any) -> list[Any]:
    return nest.flatten(values) if isinstance(values, (list, tuple)) else [values]


def passed_through(
    inputs: Sequence[Tensor], rule: Callable[..., Any]
) -> Sequence[Tensor]:
    """Return the inputs as outputs of an operation with this gradient rule.

    `tpuref.engine.ops.derivatives` describes rules.
    """
    # The results and the arguments pass through one IdentityN that carries the rule.
    # The backward pass reaches the arguments there, and never enters the operations
    # of the function itself.
    with recording_to([]):
        outputs = apply_all(IDENTITY_N.name, *inputs)
    if executing_eagerly():
        step: Any = AppliedOperation(
            IDENTITY_N, IDENTITY_N.name, inputs, outputs, {}, user_site(), {RULE: rule}
        )
    else:
        step = outputs[0].op
        step.labels[RULE] = rule
    record(step)
    return outputs


def custom_gradient_v2(f: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """Return `custom_gradient`, which TensorFlow 2 also calls without a function."""
    return custom_gradient if f is None else custom_gradient(f)
