"""Python's ``for`` over ``tf.range`` in a traced function.

A short range of static length is unrolled: traced iteration by iteration.  Otherwise
the body is traced once, as the body of a loop.  A loop cannot set Python variables, so
a body that changes one is unrolled as well; if the length is unknown, that is an error
that shows the equivalent `tf.while_loop`.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator
from types import FrameType
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.callsite import user_site
from tpuref.base.dtypes import int32
from tpuref.base.spec import TensorSpec
from tpuref.engine.graph.build import add_operation, apply, parameter
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.default import get_default_graph
from tpuref.engine.graph.region import LOOP, Region
from tpuref.engine.graph.tensor import Tensor
from tpuref.engine.ops.control import WHILE
from tpuref.engine.ops.sources import ARGUMENT

UNROLLED = 16
"""The longest range that is always unrolled."""


def turns(counts: Tensor) -> Iterator[Tensor]:
    """Yield the elements of a range: one by one, or one symbolic element for all."""
    known, frame = counts.operand().value, sys._getframe(1)
    before = dict(frame.f_locals)
    if known is None:
        yield from _one_for_all(counts, frame, before.keys())
        return
    # This generator sees the caller's variables before and after each iteration. If
    # the first iteration of a long range changes none, the others are one While;
    # otherwise the loop has state in Python, and every iteration is traced.
    for turn, number in enumerate(known):
        element = convert_to_tensor(number)
        yield element
        many = turn == 0 and known.size > UNROLLED
        if many and not _changed_names(before, frame, element):
            yield from _one_for_all(counts[1:], frame, before.keys())
            return


def _one_for_all(
    counts: Tensor, frame: FrameType, names: Collection[str]
) -> Iterator[Tensor]:
    graph, site = get_default_graph(), user_site()
    size = apply("Size", counts, out_type="int32")
    name = graph.unique_name("for", mark_as_used=False)
    scalar = TensorSpec([], int32)
    test = Region(LOOP, f"{name}_cond", graph.region, site)
    with graph.in_part(test, "for_cond"):
        test.parameters = [parameter(ARGUMENT, scalar, "turn")]
        test.results = [test.parameters[0] < size]
    body = Region(LOOP, f"{name}_body", graph.region, site)
    with graph.in_part(body, "for_body"):
        body.parameters = [parameter(ARGUMENT, scalar, "turn")]
        element: Tensor = counts[body.parameters[0]]
        before = {name: frame.f_locals.get(name) for name in names}
        try:
            yield element
        except GeneratorExit:
            graph.abandoned_loop = site
            raise
        _check_nothing_changed(_changed_names(before, frame, element), site)
        body.results = [body.parameters[0] + 1]
    attrs = {"loop_variables": 1, "maximum_iterations": None}
    add_operation(WHILE, [convert_to_tensor(0, int32)], attrs, None, [test, body])


def _changed_names(
    before: dict[str, Any], frame: FrameType, element: Tensor
) -> list[str]:
    """Return the Python variables that have changed."""
    after = frame.f_locals
    return [
        name
        for name, value in before.items()
        if after.get(name) is not value
        and after.get(name) is not element
        and _is_loop_state(after.get(name))
    ]


def _check_nothing_changed(changed: Collection[str], site: Any) -> None:
    if not changed:
        return
    names = ", ".join(changed)
    raise codes.PYTHON_CONTROL_FLOW.value_error(
        f"the loop over a tensor at {site} changes the Python variables {names}, but "
        "its body is traced once for all iterations. Write\n"
        f"    _, {names} = tf.while_loop(\n"
        f"        lambda i, {names}: i < n, body, [0, {names}])\n"
        f"where body(i, {names}) returns i + 1 and their new values; or keep them in "
        "a tf.Variable"
    )


def _is_loop_state(value: Any) -> bool:
    """Whether a changed variable with this value is state of the loop."""
    return isinstance(value, (Tensor, int, float)) or hasattr(value, "_traced_parts")
