"""Apply the documented rules for the results of a computation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base import nest
from tpuref.engine.graph.build import apply
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.default import get_default_graph
from tpuref.engine.graph.tensor import Operation, Tensor


@dataclass(frozen=True)
class Outputs:
    """The results of a computation: tensors, in the order of the structure's leaves.

    `structure` has arbitrary leaves; it is None if the caller gets a NoOp.
    """

    structure: Any
    tensors: tuple[Tensor, ...]

    @property
    def only_operations(self) -> bool:
        """Whether the caller gets a NoOp."""
        return not self.tensors


NO_OUTPUTS = Outputs(None, ())


def documented_outputs(returned: Any) -> Outputs:
    """Apply the special cases: None, a single value, operations only.

    It is called inside the region of the computation.  It adds an Identity for each
    tensor, which raises an error for tensors from outside the region.
    """
    if returned is None or isinstance(returned, Operation):
        return NO_OUTPUTS
    if not nest.is_nested(returned):
        return Outputs((0,), (_tensor("", returned),))
    if isinstance(returned, Mapping) or any(map(nest.is_nested, returned)):
        return _nested_outputs(returned)
    return _flat_outputs(returned)


def _flat_outputs(returned: Sequence[Any]) -> Outputs:
    """Keep the container and its tensors, and drop the operations after them."""
    count = next(
        (k for k, v in enumerate(returned) if isinstance(v, Operation)), len(returned)
    )
    for k, value in enumerate(returned[count:], start=count):
        if not isinstance(value, Operation):
            raise codes.INVALID_RESULT.value_error(
                "a computation must return tensors before operations; element "
                f"{count} of its result is the operation {returned[count].name!r}, "
                f"element {k} is {value!r}"
            )
    tensors = tuple(_tensor(f"[{k}]", v) for k, v in enumerate(returned[:count]))
    return (
        Outputs(_drop_operations(returned, count), tensors) if tensors else NO_OUTPUTS
    )


def _drop_operations(returned: Sequence[Any], count: int) -> Any:
    if count == len(returned):
        return returned
    container = list if isinstance(returned, list) else tuple
    return container(returned[:count])


def _nested_outputs(returned: Any) -> Outputs:
    leaves = nest.flatten_with_paths(returned)
    for path, leaf in leaves:
        if isinstance(leaf, Operation):
            raise codes.INVALID_RESULT.value_error(
                f"the operation {leaf.name!r} is at {path} in the nested structure "
                "that the computation returned; return operations only at the end of "
                "a flat list"
            )
    tensors = tuple(_tensor(path, leaf) for path, leaf in leaves)
    return Outputs(returned, tensors) if tensors else NO_OUTPUTS


def _tensor(path: str, value: Any) -> Tensor:
    try:
        tensor = convert_to_tensor(value)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"the result of the computation{' at ' + path if path else ''} is neither "
            f"an operation nor convertible to a tensor: "
            f"{codes.with_code(str(error), codes.INVALID_RESULT)}"
        ) from None
    with get_default_graph().device(tensor.device):
        returned: Tensor = apply("Identity", tensor)
    return returned
