"""The errors of replicas that do not reach the same collective."""

from collections.abc import Container, Sequence

from tpuref.base import error_codes as codes
from tpuref.base.errors import InvalidArgumentError
from tpuref.engine.program import Instr


def come_together(instr: Instr, group: Sequence[int], here: Container[int]) -> bool:
    """Return whether the replicas of a group are here; raise if only some are."""
    present = [replica for replica in group if replica in here]
    if present and len(present) < len(group):
        error = absent_replicas(instr.op, group, present)
        error.op, error.site = instr.name, instr.site
        raise error
    return bool(present)


def absent_replicas(
    op: str, group: Sequence[int], present: Sequence[int]
) -> InvalidArgumentError:
    """Return the error of replicas that wait in vain for others of their group."""
    return InvalidArgumentError(
        f"{op}: replicas {sorted(present)} wait for "
        f"{sorted(set(group) - set(present))}, which took another branch or left the "
        "loop; make every replica of the group reach it equally often",
        code=codes.REPLICAS_MISSING,
    )


def differing_shapes(
    op: str, group: Sequence[int], shapes: Sequence[Sequence[int]]
) -> InvalidArgumentError:
    """Return the error of replicas whose contributions differ in shape."""
    return InvalidArgumentError(
        f"{op}: the replicas of group {list(group)} bring the different shapes "
        f"{[list(shape) for shape in shapes]}; pad or reduce them to one shape before "
        f"they are summed",
        code=codes.SHAPES_DIFFER,
    )
