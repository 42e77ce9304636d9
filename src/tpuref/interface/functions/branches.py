"""Branches chosen by a value that may be static, and among several functions."""

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.arguments import listed, wrong_type
from tpuref.base.dtypes import int32
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.interface.functions.arithmetic import add_n
from tpuref.interface.functions.assertions import Assert
from tpuref.interface.functions.comparison import equal
from tpuref.interface.functions.control_flow import cond
from tpuref.interface.functions.conversion import cast
from tpuref.interface.functions.identity import identity
from tpuref.interface.functions.scopes import control_dependencies
from tpuref.interface.functions.tensor_kinds import get_static_value


def smart_cond(
    pred: Any,
    true_fn: Callable[[], Any],
    false_fn: Callable[[], Any],
    name: str | None = None,
) -> Any:
    """Call the branch that a static value chooses, or build a `tf.cond` of both."""
    if not isinstance(pred, (bool, int)):
        known = get_static_value(convert_to_tensor(pred))
        if known is None:
            return cond(pred, true_fn, false_fn, strict=True, name=name)
        pred = bool(known)
    return true_fn() if pred else false_fn()


def switch_case(
    branch_index: Any,
    branch_fns: Mapping[int, Callable[[], Any]] | Sequence[Any],
    default: Callable[[], Any] | None = None,
    name: str | None = "switch_case",
) -> Any:
    """Return the result of the function that an index chooses.

    `branch_index` is a scalar integer.  `branch_fns` is a list of functions, or of
    pairs of index and function, or a dict.  `default` is the function for every other
    index, by default that of the largest index.  It raises ValueError if there is no
    function.

    Examples
    --------
    >>> with tf.eager_execution():
    ...     int(tf.switch_case(tf.constant(1), [lambda: 10, lambda: 20]))
    20
    """
    if isinstance(branch_fns, Mapping):
        pairs = dict(branch_fns)
    else:
        functions = listed(
            "tf.switch_case: branch_fns", branch_fns, "a list of functions"
        )
        plain = all(map(callable, functions))
        pairs = dict(enumerate(functions) if plain else map(_pair, functions))
    if not pairs:
        raise codes.INVALID_ARGUMENT.value_error(
            "tf.switch_case: branch_fns must have a function, got none"
        )
    index = convert_to_tensor(branch_index)
    chosen = default or pairs[max(pairs)]
    for number, function in sorted(pairs.items(), reverse=True):
        chosen = _either(equal(index, number), function, chosen)
    return chosen()


def case(
    pred_fn_pairs: Any,
    default: Callable[[], Any] | None = None,
    exclusive: bool = False,
    strict: bool = False,
    name: str | None = "case",
) -> Any:
    """Return the result of the function of the first true predicate.

    `pred_fn_pairs` is a list of pairs of a scalar bool tensor and a function, or a
    dict.  `default` is the function if none is true; without it one must be true.
    `exclusive` says that at most one may be true.  Both are checked at run time.

    Examples
    --------
    >>> x = tf.constant(7)
    >>> pairs = [(x < 5, lambda: tf.constant(1)), (x < 10, lambda: tf.constant(2))]
    >>> int(tf.Session().run(tf.case(pairs, default=lambda: tf.constant(3))))
    2
    """
    items = pred_fn_pairs.items() if isinstance(pred_fn_pairs, Mapping) else None
    pairs = listed("tf.case: pred_fn_pairs", items or pred_fn_pairs)
    number = add_n([cast(predicate, int32) for predicate, _ in pairs])
    checks = [Assert(number <= 1, ["tf.case: several are true"])] if exclusive else []
    if default is None:
        checks.append(Assert(number >= 1, ["tf.case: none is true, without a default"]))
        default = pairs[-1][1]
    chosen = default
    with control_dependencies(checks):
        for predicate, function in reversed(pairs):
            chosen = _either(identity(predicate), function, chosen)
        return chosen()


def _pair(item: Any) -> tuple[int, Callable[[], Any]]:
    if isinstance(item, (list, tuple)) and len(item) == 2 and callable(item[1]):
        return operator.index(item[0]), item[1]
    expected = "functions, or pairs of an integer and a function"
    raise wrong_type("tf.switch_case: branch_fns", expected, item)


def _either(
    pred: Any, first: Callable[[], Any], second: Callable[[], Any]
) -> Callable[[], Any]:
    return lambda: smart_cond(pred, _tensors(first), _tensors(second))


def _tensors(function: Callable[[], Any]) -> Callable[[], Any]:
    """Return a branch whose numbers are tensors."""

    def called() -> Any:
        result = function()
        number = isinstance(result, (bool, int, float))
        return convert_to_tensor(result) if number else result

    return called
