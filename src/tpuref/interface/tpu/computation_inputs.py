"""Check and convert the inputs of a replicated computation."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base import nest
from tpuref.base.errors import ArgumentCountError, StructureError, coded
from tpuref.base.limits import MAX_REPLICAS
from tpuref.base.shapes import TensorShape
from tpuref.base.spec import TensorSpec
from tpuref.base.texts import counted
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.tensor import Tensor
from tpuref.engine.graph.variables import Variable

Inputs = list[list[Any]]
"""The inputs of each replica, nested structures of tensors."""


def replica_inputs(inputs: Any) -> Inputs:
    """Return the inputs of each replica, converted to tensors and checked."""
    if inputs is None:
        return [[]]
    if not isinstance(inputs, list):
        raise codes.WRONG_ARGUMENT_TYPE.type_error(
            "tf.tpu.replicate: inputs must be a list with one list of inputs per "
            f"replica or None, got {type(inputs).__name__} {inputs!r}"
        )
    if not inputs:
        raise codes.WRONG_ARGUMENT_TYPE.value_error(
            "tf.tpu.replicate: inputs is an empty list, so there is no replica to run; "
            "give [[]] or None for one replica without inputs"
        )
    check_replica_count("tf.tpu.replicate: inputs", len(inputs))
    replicas = [_input_list(r, entry) for r, entry in enumerate(inputs)]
    _check_alike(replicas)
    return [_convert(f"inputs[{r}]", own) for r, own in enumerate(replicas)]


def check_replica_count(argument: str, count: int) -> None:
    """Raise an error for more replicas than one computation can have."""
    if count > MAX_REPLICAS:
        raise codes.LIMIT_EXCEEDED.value_error(
            f"{argument} asks for {count} replicas; one computation can have at most "
            f"{MAX_REPLICAS}"
        )


def _input_list(replica: int, entry: Any) -> list[Any]:
    if isinstance(entry, (Tensor, Variable)):
        return [entry]
    if isinstance(entry, (list, tuple)):
        return list(entry)
    raise codes.WRONG_ARGUMENT_TYPE.type_error(
        f"tf.tpu.replicate: inputs[{replica}] must be the list of inputs of replica "
        f"{replica}, or one tensor, got {type(entry).__name__} {entry!r}; write "
        f"inputs=[[...], [...]]"
    )


def _check_alike(replicas: list[list[Any]]) -> None:
    counts = [len(own) for own in replicas]
    for replica, count in enumerate(counts):
        if count != counts[0]:
            raise codes.STRUCTURES_DIFFER.value_error(
                "tf.tpu.replicate: all replicas must have the same number of inputs; "
                f"replica 0 has {counts[0]}, replica {replica} has {count}"
            )
    for replica, own in enumerate(replicas[1:], start=1):
        try:
            nest.assert_same_structure(
                replicas[0], own, a_name="inputs[0]", b_name=f"inputs[{replica}]"
            )
        except StructureError as error:
            raise coded(
                StructureError,
                f"tf.tpu.replicate: all replicas must have the same structure: {error}",
                code=codes.STRUCTURES_DIFFER,
            ) from None


def _convert(name: str, own: list[Any]) -> list[Any]:
    leaves = [
        _leaf(f"{name}{path}", leaf) for path, leaf in nest.flatten_with_paths(own)
    ]
    converted: list[Any] = nest.pack_sequence_as(own, leaves)
    return converted


def _leaf(path: str, leaf: Any) -> Tensor:
    try:
        return convert_to_tensor(leaf)
    except (TypeError, ValueError) as error:
        raise type(error)(f"tf.tpu.replicate: {path}: {error}") from None


def single_inputs(function: str, inputs: Any) -> list[Any]:
    """Return the inputs of `rewrite` as a list; None is an empty one."""
    if inputs is None:
        return []
    if not isinstance(inputs, (list, tuple)):
        raise codes.WRONG_ARGUMENT_TYPE.type_error(
            f"{function}: inputs must be a list of inputs or None, got "
            f"{type(inputs).__name__} {inputs!r}"
        )
    return list(inputs)


def check_dtypes(replicas: Inputs) -> None:
    """Check that each input has one dtype over all replicas."""
    first = nest.flatten_with_paths(replicas[0])
    for replica, own in enumerate(replicas[1:], start=1):
        for (path, a), b in zip(first, nest.flatten(own), strict=True):
            if a.dtype != b.dtype:
                raise codes.SHAPES_DIFFER.value_error(
                    "tf.tpu.replicate: dtypes must be the same on all replicas; "
                    f"inputs[0]{path} is {a.describe()}, inputs[{replica}]{path} is "
                    f"{b.describe()}"
                )


def merged_spec(path: str, tensors: Sequence[Tensor]) -> TensorSpec:
    """Return the spec that a leaf has on every replica; raise if shapes conflict."""
    return TensorSpec(_merge_shapes(path, tensors), tensors[0].dtype)


def _merge_shapes(path: str, tensors: Sequence[Tensor]) -> TensorShape:
    shape = tensors[0].shape
    for replica, tensor in enumerate(tensors[1:], start=1):
        try:
            shape = shape.merge_with(tensor.shape)
        except ValueError:
            raise codes.SHAPES_DIFFER.value_error(
                f"tf.tpu.replicate: inputs[0]{path} is {tensors[0].describe()} and "
                f"inputs[{replica}]{path} is {tensor.describe()}; the shapes must "
                "agree, unless maximum_shapes is given"
            ) from None
    return shape


def check_arity(
    computation: Callable[..., Any],
    count: int,
    infeed: int,
    label: str = "tf.tpu.replicate: computation",
) -> None:
    """Raise ArgumentCountError unless `computation` accepts that many arguments.

    Messages begin with `label`, which names function and argument.
    """
    if not callable(computation):
        raise codes.WRONG_ARGUMENT_TYPE.type_error(
            f"{label} must be callable, got {computation!r}"
        )
    if isinstance(computation, np.ufunc):
        _check_ufunc(computation, count + infeed, label)
        return
    try:
        signature = inspect.signature(computation)
    except ValueError:
        return  # a built-in without a signature, such as max; the call checks it
    try:
        signature.bind(*range(count + infeed))
    except TypeError:
        raise ArgumentCountError(
            f"{label} {_name(computation)}{signature} takes "
            f"{_accepted_inputs(signature.parameters)}, but gets {count}"
            + (f" and {infeed} more from the infeed queue" if infeed else "")
            + _missing_inputs(signature.parameters, count + infeed)
            + f" [{codes.WRONG_COUNT}]"
        ) from None


def _check_ufunc(ufunc: np.ufunc, count: int, label: str) -> None:
    if count != ufunc.nin:
        raise coded(
            ArgumentCountError,
            f"{label} numpy.{ufunc.__name__} takes exactly "
            f"{counted(ufunc.nin, 'input')}, but gets {count}",
            code=codes.WRONG_COUNT,
        )


def _name(computation: Callable[..., Any]) -> str:
    return getattr(computation, "__qualname__", type(computation).__name__)


def _positional(parameters: Mapping[str, inspect.Parameter]) -> list[inspect.Parameter]:
    kinds = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD
    return [p for p in parameters.values() if p.kind in kinds]


def _missing_inputs(parameters: Mapping[str, inspect.Parameter], count: int) -> str:
    rest = _positional(parameters)[count:]
    names = [repr(p.name) for p in rest if p.default is p.empty]
    return f"; missing: {', '.join(names)}" if names else ""


def _accepted_inputs(parameters: Mapping[str, inspect.Parameter]) -> str:
    positional = _positional(parameters)
    required = [p for p in positional if p.default is p.empty]
    keywords = [
        p.name
        for p in parameters.values()
        if p.kind is p.KEYWORD_ONLY and p.default is p.empty
    ]
    if any(p.kind is p.VAR_POSITIONAL for p in parameters.values()):
        text = f"at least {counted(len(required), 'input')}"
    elif len(required) < len(positional):
        text = f"{len(required)} to {counted(len(positional), 'input')}"
    else:
        text = f"exactly {counted(len(positional), 'input')}"
    if keywords:
        text += f" and needs {', '.join(keywords)} by keyword (use functools.partial)"
    return text
