"""Gradients of creating, reshaping, joining, repeating and selecting arrays."""

from functools import partial
from typing import Any

import numpy as np

from tpuref.engine.ops.broadcasting import normalize_axis
from tpuref.engine.ops.derivatives import rule


def _each(apply: rule.Apply, op: rule.Applied, *dys: rule.Tensor) -> Any:
    return dys


def _fill(apply: rule.Apply, op: rule.Applied, dy: rule.Tensor) -> Any:
    return None, apply("Sum", dy, axis=None, keepdims=False)


# -- reshaping ---------------------------------------------------------------------


def _reshape(apply: rule.Apply, op: rule.Applied, dy: rule.Tensor) -> Any:
    x, *others = op.inputs
    return rule.reshaped_like(apply, dy, x), *[None] * len(others)


def _transpose(apply: rule.Apply, op: rule.Applied, dy: rule.Tensor) -> rule.Tensor:
    perm = op.attrs["perm"]
    back = None if perm is None else tuple(int(k) for k in np.argsort(perm))
    return apply("Transpose", dy, perm=back)


def _reverse(apply: rule.Apply, op: rule.Applied, dy: rule.Tensor) -> rule.Tensor:
    return apply("ReverseV2", dy, axes=op.attrs["axes"])


def _roll(apply: rule.Apply, op: rule.Applied, dy: rule.Tensor) -> Any:
    return apply("Roll", dy, -op.inputs[1], axes=op.attrs["axes"]), None


# -- joining and splitting ---------------------------------------------------------


def _pack(apply: rule.Apply, op: rule.Applied, dy: rule.Tensor) -> Any:
    parts = apply("Unpack", dy, axis=op.attrs["axis"], num=len(op.inputs))
    return parts if len(op.inputs) > 1 else [parts]


def _unpack(apply: rule.Apply, op: rule.Applied, *dys: rule.Tensor) -> rule.Tensor:
    return apply("Pack", *dys, axis=op.attrs["axis"])


def _split(apply: rule.Apply, op: rule.Applied, *dys: rule.Tensor) -> rule.Tensor:
    return apply("ConcatV2", *dys, axis=op.attrs["axis"])


def _concat(apply: rule.Apply, op: rule.Applied, dy: rule.Tensor) -> Any:
    if len(op.inputs) == 1:
        return dy
    axis = normalize_axis(op.attrs["axis"], rule.rank_of(op, dy))
    sizes = tuple(x.shape.with_rank(dy.shape.rank).as_tuple()[axis] for x in op.inputs)
    if None not in sizes:
        return apply("Split", dy, axis=axis, sizes=sizes)
    along = np.eye(dy.shape.rank, dtype=np.int32)[axis]
    parts, begin = [], np.zeros_like(along)
    for x in op.inputs:
        shape = rule.shape_of(apply, x)
        parts.append(apply("Slice", dy, begin, shape))
        begin = begin + shape * along
    return parts


# -- repeating and padding ---------------------------------------------------------


def _tile(apply: rule.Apply, op: rule.Applied, dy: rule.Tensor) -> Any:
    """Sum over the copies, which a reshape puts on axes between the others."""
    x, multiples = op.inputs
    rank = multiples.shape.num_elements()
    rank = rule.rank_of(op, x) if rank is None else rank
    pairs = apply(
        "Pack",
        multiples,
        rule.of_dtype(apply, rule.shape_of(apply, x), multiples),
        axis=1,
    )
    copies = apply("Reshape", dy, apply("Reshape", pairs, np.array([-1], np.int32)))
    return apply("Sum", copies, axis=tuple(range(0, 2 * rank, 2)), keepdims=False), None


def _broadcast_to(apply: rule.Apply, op: rule.Applied, dy: rule.Tensor) -> Any:
    return rule.sum_to(apply, dy, op.inputs[0]), None


def _sum_to_shape(apply: rule.Apply, op: rule.Applied, dy: rule.Tensor) -> Any:
    return apply("BroadcastTo", dy, rule.shape_of(apply, op.inputs[0])), None


def _pad(apply: rule.Apply, op: rule.Applied, dy: rule.Tensor) -> Any:
    x, paddings, _ = op.inputs
    begin = apply("Unpack", paddings, axis=1, num=2)[0]
    inner = apply(
        "Slice", dy, begin, rule.of_dtype(apply, rule.shape_of(apply, x), begin)
    )

    def of_the_constant() -> rule.Tensor:
        total = partial(apply, "Sum", axis=None, keepdims=False)
        return total(dy) - total(inner)

    return inner, None, of_the_constant


def _band_part(apply: rule.Apply, op: rule.Applied, dy: rule.Tensor) -> Any:
    return apply("MatrixBandPart", dy, *op.inputs[1:]), None, None


# -- selecting ---------------------------------------------------------------------


def _select(apply: rule.Apply, op: rule.Applied, dy: rule.Tensor) -> Any:
    zeros = rule.zeros_like(apply, dy)
    return (
        None,
        lambda: apply("Select", op.inputs[0], dy, zeros),
        lambda: apply("Select", op.inputs[0], zeros, dy),
    )


RULES: dict[str, rule.Rule] = {
    **dict.fromkeys(
        (
            *("Const", "_Arg", "Placeholder", "NoOp", "StopGradient", "ZerosLike"),
            *("OnesLike", "Range", "LinSpace", "OneHot", "Shape", "Size", "Rank"),
            "Where",
        ),
        rule.not_differentiable,
    ),
    "Identity": rule.passed_on,
    "PlaceholderWithDefault": rule.passed_on,
    "IdentityN": _each,
    "Fill": _fill,
    "Reshape": _reshape,
    "ExpandDims": _reshape,
    "Squeeze": _reshape,
    "Transpose": _transpose,
    "ReverseV2": _reverse,
    "Roll": _roll,
    "Pack": _pack,
    "Unpack": _unpack,
    "Split": _split,
    "ConcatV2": _concat,
    "Tile": _tile,
    "Repeat": rule.selection,
    "BroadcastTo": _broadcast_to,
    "SumToShape": _sum_to_shape,
    "PadV2": _pad,
    "MirrorPad": rule.selection,
    "MatrixDiag": lambda apply, op, dy: apply("MatrixDiagPart", dy),
    "MatrixDiagPart": rule.selection,
    "MatrixBandPart": _band_part,
    "Select": _select,
    "SelectV2": rule.broadcast(
        None,
        lambda apply, dz, z, c, x, y: rule.where(apply, c, dz),
        lambda apply, dz, z, c, x, y: rule.unless(apply, c, dz),
    ),
}
