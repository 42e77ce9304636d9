"""Python's ``for`` over ``tf.range`` in a traced function.

Few turns, of a known number, are traced one by one.  Otherwise the body is traced once
and becomes the body of a loop.  Python does not tell which of its variables a body
changes, so one that it changes is an error that shows what to write.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.callsite import user_site
from tpuref.base.dtypes import int32
from tpuref.base.errors import coded
from tpuref.base.spec import TensorSpec
from tpuref.graph.build import add_operation, apply, parameter
from tpuref.graph.convert import convert_to_tensor
from tpuref.graph.default import get_default_graph
from tpuref.graph.region import LOOP, Region
from tpuref.graph.tensor import Tensor
from tpuref.ops.control import WHILE
from tpuref.ops.sources import ARGUMENT

UNROLLED = 16
"""So many turns at most are traced one by one."""


def turns(counts: Tensor) -> Iterator[Tensor]:
    """Yield the elements of a range: one by one, or one that stands for all."""
    known = counts.operand().value
    if known is not None and known.size <= UNROLLED:
        yield from (convert_to_tensor(number) for number in known)
        return
    yield from _one_for_all(counts, sys._getframe(1))


def _one_for_all(counts: Tensor, frame: FrameType) -> Iterator[Tensor]:
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
        before = dict(frame.f_locals)
        try:
            yield element
        except GeneratorExit:
            graph.abandoned_loop = site
            raise
        _check_nothing_changed(before, frame, element, site)
        body.results = [body.parameters[0] + 1]
    attrs = {"loop_variables": 1, "maximum_iterations": None}
    add_operation(WHILE, [convert_to_tensor(0, int32)], attrs, None, [test, body])


def _check_nothing_changed(
    before: dict[str, Any], frame: FrameType, element: Tensor, site: Any
) -> None:
    after = frame.f_locals
    changed = [
        name
        for name, value in before.items()
        if after.get(name) is not value
        and after.get(name) is not element
        and _counts(after.get(name))
    ]
    if not changed:
        return
    names = ", ".join(changed)
    raise coded(
        ValueError,
        f"the loop over a tensor at {site} changes the Python variables {names}, but "
        "its body is traced once for all turns. Write\n"
        f"    _, {names} = tf.while_loop(\n"
        f"        lambda i, {names}: i < n, body, [0, {names}])\n"
        f"where body(i, {names}) returns i + 1 and their new values; or keep them in "
        "a tf.Variable",
        code=codes.PYTHON_CONTROL_FLOW,
    )


def _counts(value: Any) -> bool:
    """Whether a variable with such a value would have to be one of the loop."""
    return isinstance(value, (Tensor, int, float)) or hasattr(value, "_traced_parts")
