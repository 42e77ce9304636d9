"""Run functions of single elements for all elements of a batch at once.

``dataset.map(f).batch(n)`` may run `f` once for n elements: each value gets a leading
dimension for the elements.  Operations that broadcast or have a rule for stacked arrays
(`Batching`), and host functions with a batched version (`in_batches`), process all
elements together; other operations run once per element.  Only functions without side
effects qualify, so the results are the same.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tpuref.engine.ops.meaning import Array
from tpuref.engine.program import Instr, Program
from tpuref.engine.runtime.host import run_instr
from tpuref.engine.runtime.meaning.run import Run
from tpuref.interface.data.element import Item, stacked

Column = tuple[Array, bool]
"""An array, and whether it has a row for each element."""


def in_batches(function: Any, whole: Callable[..., Any]) -> None:
    """Set the batched version of a host function, for inputs stacked over elements."""
    function.in_batches = whole


def qualifies(program: Program, functions: Mapping[int, Any]) -> bool:
    """Return whether a program may run for all elements of a batch at once."""
    return all(
        hasattr(functions[instr.attrs["token"]], "in_batches")
        if instr.definition.effects.client
        else instr.definition.foldable and not instr.blocks
        for instr in program.instrs
    )


def run_batch(
    program: Program, items: Sequence[Item], common: Sequence[Array], run: Run
) -> Item | None:
    """Return the results for all elements, or None if each must run alone.

    The elements are the first parameters of a program that `qualifies`; `common` are
    the other ones, equal for all elements.
    """
    try:
        columns = [(stacked(column), True) for column in zip(*items, strict=True)]
        columns += [(array, False) for array in common]
        slots = dict(zip(program.parameters, columns, strict=True))
        for instr in program.instrs:
            inputs = [slots[slot] for slot in instr.inputs]
            outputs = _run(instr, inputs, len(items), run)
            slots.update(zip(instr.outputs, outputs, strict=True))
        return tuple(_rows(*slots[slot], len(items)) for slot in program.results)
    except Exception:  # the caller runs elements alone, for the error of the faulty one
        return None


def _run(
    instr: Instr, inputs: Sequence[Column], count: int, run: Run
) -> Sequence[Column]:
    arrays = [array for array, _ in inputs]
    if instr.definition.effects.client:
        function: Any = run.functions[instr.attrs["token"]]
        results = function.in_batches(*(_rows(*column, count) for column in inputs))
        several = results if isinstance(results, list) else [results]
        return [(_check_rows(result, count), True) for result in several]
    if not any(is_stacked for _, is_stacked in inputs):
        outputs = run_instr(instr, arrays, run)
        return [(output, False) for output in outputs]
    if instr.definition.batching.broadcasts or instr.definition.traits.forwards:
        outputs = run_instr(instr, _align(inputs), run)
        return [(output, True) for output in outputs]
    rule, spec = instr.definition.batching.stacked, instr.specs[0]
    first, *others = (is_stacked for _, is_stacked in inputs)
    if rule and first and not any(others) and spec.shape.is_fully_defined():
        with np.errstate(all="ignore"):
            result = rule(*arrays, **instr.attrs)
        output = np.asarray(result, spec.dtype.np, order="C")
        return [(output.reshape(count, *spec.shape.as_list()), True)]
    return _run_each(instr, inputs, count, run)


def _run_each(
    instr: Instr, inputs: Sequence[Column], count: int, run: Run
) -> list[Column]:
    """Run an operation once for each element."""
    turns = [
        run_instr(
            instr,
            [array[k, ...] if is_stacked else array for array, is_stacked in inputs],
            run,
        )
        for k in range(count)
    ]
    return [(stacked(outputs), True) for outputs in zip(*turns, strict=True)]


def _align(inputs: Sequence[Column]) -> list[Array]:
    """Return operands that broadcast like those of a single element."""
    rank = max(array.ndim - is_stacked for array, is_stacked in inputs)
    return [
        array.reshape(array.shape[0], *(1,) * (rank + 1 - array.ndim), *array.shape[1:])
        if is_stacked
        else array
        for array, is_stacked in inputs
    ]


def _rows(array: Array, is_stacked: bool, count: int) -> Array:
    return array if is_stacked else np.repeat(array[np.newaxis], count, axis=0)


def _check_rows(result: Array, count: int) -> Array:
    if result.shape[:1] != (count,):
        raise ValueError("no row for each element")
    return result
