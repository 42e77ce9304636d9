"""Python's ``for`` over ``tf.range``, or a dataset, in a traced function.

A short range of static length is unrolled: traced iteration by iteration.  Otherwise
the body is traced once, as the body of a loop.  A loop cannot set Python variables, so
a body that changes one is unrolled as well; if the length is unknown, that is an error
that shows the equivalent `tf.while_loop`.
"""

import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from types import FrameType
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base import nest
from tpuref.base.callsite import user_site
from tpuref.base.dtypes import int32
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
    size = apply("Size", counts, out_type="int32")
    return one_for_all(
        frame,
        names,
        [convert_to_tensor(0, int32)],
        lambda turn: turn[0] < size,
        lambda turn: counts[turn[0]],
        lambda turn: [turn[0] + 1],
        "    _, {names} = tf.while_loop(\n"
        "        lambda i, {names}: i < n, body, [0, {names}])\n"
        "where body(i, {names}) returns i + 1 and their new values",
    )


def one_for_all(
    frame: FrameType,
    names: Collection[str],
    start: Sequence[Tensor],
    goes_on: Callable[[Sequence[Tensor]], Tensor],
    element_of: Callable[[Sequence[Tensor]], Any],
    following: Callable[[Sequence[Tensor]], Sequence[Tensor]],
    way_out: str,
) -> Iterator[Any]:
    """Yield one symbolic element, whose iteration becomes the body of a loop.

    `start` are the tensors that the loop carries; ``goes_on(carried)`` is the test,
    `element_of` returns the element that they stand for, and `following` the tensors of
    the next iteration.  The iteration must not change the variables `names` of `frame`,
    that of the Python loop; `way_out` is what to write instead.
    """
    graph, site = get_default_graph(), user_site()
    name = graph.unique_name("for", mark_as_used=False)
    test = Region(LOOP, f"{name}_cond", graph.region, site)
    with graph.in_part(test, "for_cond"):
        test.parameters = [parameter(ARGUMENT, x.spec, "turn") for x in start]
        test.results = [goes_on(test.parameters)]
    body = Region(LOOP, f"{name}_body", graph.region, site)
    with graph.in_part(body, "for_body"):
        body.parameters = [parameter(ARGUMENT, x.spec, "turn") for x in start]
        element = element_of(body.parameters)
        before = {name: frame.f_locals.get(name) for name in names}
        try:
            yield element
        except GeneratorExit:
            graph.abandoned_loop = site
            raise
        _check_nothing_changed(_changed_names(before, frame, element), site, way_out)
        body.results = list(following(body.parameters))
    attrs = {"loop_variables": len(start), "maximum_iterations": None}
    add_operation(WHILE, start, attrs, None, [test, body])


def _changed_names(before: dict[str, Any], frame: FrameType, element: Any) -> list[str]:
    """Return the Python variables that have changed."""
    after, parts = frame.f_locals, {id(element), *map(id, nest.flatten(element))}
    return [
        name
        for name, value in before.items()
        if after.get(name) is not value
        and id(after.get(name)) not in parts
        and _is_loop_state(after.get(name))
    ]


def _check_nothing_changed(changed: Collection[str], site: Any, way_out: str) -> None:
    if not changed:
        return
    names = ", ".join(changed)
    raise codes.PYTHON_CONTROL_FLOW.value_error(
        f"the loop at {site} changes the Python variables {names}, but its body is "
        f"traced once for all iterations. Write\n{way_out.format(names=names)}; or "
        "keep them in a tf.Variable"
    )


def _is_loop_state(value: Any) -> bool:
    """Whether a changed variable with this value is state of the loop."""
    return isinstance(value, (Tensor, int, float)) or hasattr(value, "_traced_parts")
