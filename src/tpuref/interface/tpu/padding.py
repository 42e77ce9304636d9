"""Plan the padding of replicas' inputs: the policy, and the maximum shapes."""

import enum
import operator
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base import nest
from tpuref.base.errors import StructureError, coded
from tpuref.base.shapes import Dimension, TensorShape
from tpuref.base.spec import TensorSpec
from tpuref.engine.configuration import config
from tpuref.engine.graph.tensor import Tensor
from tpuref.engine.runtime.meaning.padding import Dimensions

Padding = tuple[tuple[str, "Dimensions | None"], ...]
"""The path and the padding of each leaf of the inputs; None means no padding."""


class PaddingSpec(enum.IntEnum):
    """How to pad inputs of unknown size.

    See 003_0632b6613bf28dbc.txt, padding_spec.

    Attributes
    ----------
    AUTO
        To the largest size among the replicas.
    POWER_OF_TWO
        To the next power of two of the largest size, so that few sizes occur.
    """

    AUTO = 0
    POWER_OF_TWO = 1

    @classmethod
    def _missing_(cls, value: object) -> None:
        raise codes.INVALID_ARGUMENT.value_error(
            f"tf.tpu.PaddingSpec: value must be one of {list(cls)}, got {value!r}"
        )


def checked_spec(padding_spec: Any) -> PaddingSpec:
    """Return the policy; None means `PaddingSpec.AUTO`."""
    if padding_spec is None:
        return PaddingSpec.AUTO
    if isinstance(padding_spec, (bool, str)) or not isinstance(padding_spec, int):
        raise codes.INVALID_ARGUMENT.type_error(
            "tf.tpu.replicate: padding_spec must be a tf.tpu.PaddingSpec or None, got "
            f"{padding_spec!r}"
        )
    try:
        return PaddingSpec(padding_spec)
    except ValueError:
        raise codes.INVALID_ARGUMENT.value_error(
            f"tf.tpu.replicate: padding_spec must be one of {list(PaddingSpec)}, got "
            f"{padding_spec!r}"
        ) from None


def plan_padding(
    inputs: Sequence[Sequence[Any]], maximum_shapes: Any, padding_spec: Any
) -> Padding | None:
    """Return the padding of each leaf of the inputs, None without maximum shapes."""
    policy = checked_spec(padding_spec)
    if maximum_shapes is None:
        return None
    if _is_shape(maximum_shapes):
        maximum_shapes = _for_single_input(inputs[0], maximum_shapes)
    if not isinstance(maximum_shapes, (list, tuple)):
        raise _differs(
            "maximum_shapes", maximum_shapes, "a list with one entry per input"
        )
    shapes = _match_all("maximum_shapes", inputs[0], maximum_shapes)
    leaves = [nest.flatten(list(own)) for own in inputs]
    paths = [path for path, _ in nest.flatten_with_paths(list(inputs[0]))]
    return tuple(
        (f"input{path}", _dimensions(path, [own[k] for own in leaves], shape, policy))
        for k, (path, shape) in enumerate(zip(paths, shapes, strict=True))
    )


def _is_shape(value: Any) -> bool:
    return isinstance(
        value, (TensorShape, Dimension, int, np.integer, np.ndarray, Tensor)
    )


def _for_single_input(inputs: Sequence[Any], shape: Any) -> list[Any]:
    if len(inputs) == 1:
        return [shape]
    raise coded(
        StructureError,
        f"tf.tpu.replicate: maximum_shapes is the single shape {shape!r}, but each "
        f"replica has {len(inputs)} inputs; give a list with one shape per input",
        code=codes.INVALID_PADDING,
    )


def _match(path: str, inputs: Any, shapes: Any) -> list[TensorShape | None]:
    """Return the shape of each leaf of `inputs`, in the order of the leaves."""
    if isinstance(inputs, Mapping):
        if not isinstance(shapes, Mapping) or set(shapes) != set(inputs):
            raise _differs(path, shapes, f"a dictionary with the keys {sorted(inputs)}")
        pairs = [(f"{path}[{k!r}]", inputs[k], shapes[k]) for k in sorted(inputs)]
        return [leaf for place, i, s in pairs for leaf in _match(place, i, s)]
    if isinstance(inputs, (list, tuple)):
        if type(shapes) is not type(inputs):
            raise _differs(path, shapes, f"a {type(inputs).__name__}")
        return _match_all(path, inputs, shapes)
    return [_shape(path, shapes)]


def _match_all(
    path: str, inputs: Sequence[Any], shapes: Sequence[Any]
) -> list[TensorShape | None]:
    if len(shapes) != len(inputs):
        raise _differs(path, shapes, f"{len(inputs)} shape(s)")
    both = enumerate(zip(inputs, shapes, strict=True))
    return [leaf for k, (i, s) in both for leaf in _match(f"{path}[{k}]", i, s)]


def _differs(path: str, got: Any, expected: str) -> StructureError:
    return coded(
        StructureError,
        f"tf.tpu.replicate: the structure of {path} must be that of inputs[0]: "
        f"expected {expected}, got {got!r}",
        code=codes.INVALID_PADDING,
    )


def _shape(path: str, value: Any) -> TensorShape | None:
    if value is None:
        return None
    if isinstance(value, (list, tuple, Mapping)):
        raise _differs(path, value, "a shape such as tf.TensorShape([None, 2])")
    if not _is_shape(value) or isinstance(value, bool):
        raise codes.INVALID_PADDING.type_error(
            f"tf.tpu.replicate: {path} must be a tf.TensorShape, Dimension, int or "
            f"array of ints, got {type(value).__name__} {value!r}"
        )
    if isinstance(value, TensorShape):
        shape = value
    elif isinstance(value, Dimension):
        shape = TensorShape([value])
    else:
        shape = TensorShape(
            [_size(path, item) for item in np.ravel(_integers(path, value))]
        )
    if shape.ndims is None:
        raise coded(
            StructureError,
            f"tf.tpu.replicate: {path} is a shape of unknown rank; give as many "
            "dimensions as the input has, None for unknown ones",
            code=codes.INVALID_PADDING,
        )
    return shape


def _integers(path: str, value: Any) -> Any:
    if isinstance(value, Tensor):
        value = value.operand().value
        if value is None:
            raise codes.INVALID_PADDING.type_error(
                f"tf.tpu.replicate: {path} is a tensor whose value is unknown when the "
                "graph is built"
            )
    if np.asarray(value).dtype.kind not in "iu":
        raise codes.INVALID_PADDING.type_error(
            f"tf.tpu.replicate: {path} must contain integers, got {value!r}"
        )
    return value


def _size(path: str, item: Any) -> int | None:
    """Return a size; -1 means unknown."""
    size = operator.index(item)
    if size < -1:
        raise codes.INVALID_PADDING.value_error(
            f"tf.tpu.replicate: {path} has the dimension {size}; expected a size of at "
            "least 0, or -1 if unknown"
        )
    return None if size == -1 else size


def _dimensions(
    path: str,
    replicas: Sequence[Tensor],
    shape: TensorShape | None,
    policy: PaddingSpec,
) -> Dimensions | None:
    if shape is None:
        return None
    maximum = shape.as_tuple()
    for replica, tensor in enumerate(replicas):
        _check_fits(f"inputs[{replica}]{path}", tensor, maximum)
    sizes = [tensor.shape.as_tuple() for tensor in replicas]
    return tuple(
        (size, _rounds_up([own[k] for own in sizes], policy))
        for k, size in enumerate(maximum)
    )


def _check_fits(path: str, tensor: Tensor, maximum: tuple[int | None, ...]) -> None:
    if tensor.shape.ndims is None:
        raise codes.INVALID_PADDING.value_error(
            f"tf.tpu.replicate: {path} {tensor.describe()} has unknown rank and cannot "
            f"be padded to {list(maximum)}; use set_shape"
        )
    own = tensor.shape.as_tuple()
    if len(own) != len(maximum):
        raise codes.INVALID_PADDING.value_error(
            f"tf.tpu.replicate: {path} {tensor.describe()} has rank {len(own)}, but "
            f"its entry in maximum_shapes {list(maximum)} has rank {len(maximum)}"
        )
    for k, (size, limit) in enumerate(zip(own, maximum, strict=True)):
        if size is not None and limit is not None and size > limit:
            raise codes.INVALID_PADDING.value_error(
                f"tf.tpu.replicate: {path} {tensor.describe()} exceeds its entry in "
                f"maximum_shapes {list(maximum)} in dimension {k}: {size} > {limit}"
            )


def _rounds_up(sizes: list[int | None], policy: PaddingSpec) -> bool:
    """Return whether to round the largest size up: not if static sizes are equal."""
    alike = sizes[0] is not None and len(set(sizes)) == 1
    return policy == PaddingSpec.POWER_OF_TWO and not alike


def padded_spec(replicas: Sequence[Tensor]) -> TensorSpec:
    """Return the static spec of a padded input.

    The computation sees true sizes, so a dimension is static only if replicas agree.
    """
    sizes = [tensor.shape.as_tuple() for tensor in replicas]
    known = [
        own[0] if len(set(own)) == 1 and not config.padding_visible else None
        for own in zip(*sizes, strict=True)
    ]
    return TensorSpec(TensorShape(known), replicas[0].dtype)
