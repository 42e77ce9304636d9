"""Shared parts of branches and loops: predicates, variables, maps over replicas."""

from collections.abc import Callable, Sequence
from typing import Any

import jax
from jax.extend.core import jaxpr_as_fun

from tpuref.engine.program import HOST, Instr, Program
from tpuref.engine.runtime.meaning.verdict import require_scalar
from tpuref.engine.runtime.xla.placement import Placement
from tpuref.engine.runtime.xla.value import Value


def over_replicas(
    function: Callable[..., Sequence[Any]],
    operands: Sequence[Value],
    placement: Placement,
    broadcasts: bool = False,
) -> tuple[list[Any], bool]:
    """Map a function over replicas; return outputs and whether they are stacked.

    With `broadcasts`, the function computes each element from those at its position.
    """
    # Only stacked operands are mapped. If all are shared, one computation serves all
    # replicas, and its result is shared too.
    places = [k for k, value in enumerate(operands) if value.stacked]
    arrays = [value.array for value in operands]
    if not places:
        return list(function(*arrays)), False

    # The devices get shared arrays as arguments: JAX refuses to broadcast an array of
    # all devices within the function of one.
    common = [
        k
        for k, value in enumerate(operands)
        if not value.stacked and isinstance(value.array, jax.Array)
    ]

    def of_one(shared: Sequence[Any], *rows: Any) -> Sequence[Any]:
        own = list(arrays)
        for place, array in zip((*common, *places), (*shared, *rows), strict=True):
            own[place] = array
        return function(*own)

    shared, stacks = ([arrays[k] for k in chosen] for chosen in (common, places))
    # Stacks of the largest rank broadcast with the rest as their rows do; without
    # `vmap`, JAX traces such a function in half the time.
    ranks = [len(value.shape) for value in operands]
    aligned = all(ranks[place] == max(ranks) for place in places)
    axes = None, *[0] * len(stacks)
    mapped = of_one if broadcasts and aligned else jax.vmap(of_one, axes)
    return list(placement.on_rows(mapped, shared, stacks)), True


def scalar(instr: Instr, predicate: Value) -> Value:
    """Return a predicate; InvalidArgumentError if it is not a scalar."""
    require_scalar(instr, predicate.shape, predicate.dtype)
    return predicate


def written(blocks: Sequence[Program]) -> list[str]:
    """Return the names of the variables that programs write."""
    handles = {
        instr.attrs[instr.definition.writes]
        for block in blocks
        for instr in block.all_instrs()
        if instr.definition.writes is not None and instr.core != HOST
    }
    return sorted(handles)


def as_function(traced: Any, form: Any) -> Callable[..., Any]:
    """Return a jaxpr as a function with the output structure of `form`."""
    tree = jax.tree.structure(form)

    def function(*arguments: Any) -> Any:
        flat = jaxpr_as_fun(traced)(*jax.tree.leaves(arguments))
        return jax.tree.unflatten(tree, flat)

    return function
