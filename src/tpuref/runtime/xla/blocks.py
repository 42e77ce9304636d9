"""What blocks share: predicates, variables, and functions over the replicas."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
from jax.extend.core import jaxpr_as_fun

from tpuref.base import error_codes as codes
from tpuref.base.errors import InvalidArgumentError
from tpuref.program import HOST, Instr, Program
from tpuref.runtime.xla.placement import Placement
from tpuref.runtime.xla.value import Value


def over_replicas(
    function: Callable[..., Sequence[Any]],
    operands: Sequence[Value],
    placement: Placement,
) -> tuple[list[Any], bool]:
    """Return a function of one replica's arrays for all, and whether it is stacked."""
    places = [k for k, value in enumerate(operands) if value.stacked]
    arrays = [value.array for value in operands]
    if not places:
        return list(function(*arrays)), False

    def of_one(*rows: Any) -> Sequence[Any]:
        own = list(arrays)
        for place, row in zip(places, rows, strict=True):
            own[place] = row
        return function(*own)

    stacks = [arrays[place] for place in places]
    return list(placement.on_rows(jax.vmap(of_one), stacks)), True


def scalar(instr: Instr, predicate: Value) -> Value:
    """Return a predicate, if it is a scalar."""
    if predicate.shape != ():
        raise InvalidArgumentError(
            f"the predicate of {instr.op} must be a scalar, got {predicate.dtype}"
            f"{list(predicate.shape)}; use tf.reduce_all or tf.reduce_any",
            code=codes.WRONG_SHAPE,
        )
    return predicate


def written(blocks: Sequence[Program]) -> list[str]:
    """Return the names of the variables that the replicas write in some blocks."""
    found = {
        instr.attrs[instr.definition.writes]
        for block in blocks
        for instr in block.all_instrs()
        if instr.definition.writes is not None and instr.core != HOST
    }
    return sorted(found)


def as_function(traced: Any, form: Any) -> Callable[..., Any]:
    """Return what `jax.make_jaxpr` has traced, as a function that is not traced again.

    `form` is what it returns for the shapes of the outputs.
    """
    tree = jax.tree.structure(form)

    def function(*arguments: Any) -> Any:
        flat = jaxpr_as_fun(traced)(*jax.tree.leaves(arguments))
        return jax.tree.unflatten(tree, flat)

    return function
