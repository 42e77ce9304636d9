"""Blocks of images moved between rows and columns, channels and batch."""

from typing import Any

import numpy as np

from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.arguments import static_integer, static_integers
from tpuref.interface.functions.extents import shape as shape_of
from tpuref.interface.functions.repetition import pad
from tpuref.interface.functions.reshaping import reshape, transpose
from tpuref.interface.functions.scopes import name_scope


def space_to_depth(
    input: Any, block_size: Any, name: str | None = None, data_format: str = "NHWC"
) -> Tensor:
    """Move blocks of rows and columns to the channels.

    `input` holds images of shape ``[batch, rows, columns, channels]``.  `block_size` is
    the size of the blocks, at least 2; it divides rows and columns.  `data_format` is
    ``"NHWC"``, or ``"NCHW"`` for channels on axis 1.  It raises ValueError if the sizes
    do not fit.

    Examples
    --------
    >>> image = tf.reshape(tf.range(4), [1, 2, 2, 1])
    >>> tf.Session().run(tf.nn.space_to_depth(image, 2)).tolist()
    [[[[0, 1, 2, 3]]]]
    """
    with name_scope(name, "SpaceToDepth"):
        images, block = _images(input, block_size, data_format)
        n, rows, columns, depth = _extents(images, (1, block, block, 1))
        parts = reshape(images, [n, rows, block, columns, block, depth])
        swapped = transpose(parts, [0, 1, 3, 2, 4, 5])
        moved = reshape(swapped, [n, rows, columns, block * block * depth])
        return _in_format(moved, data_format)


def depth_to_space(
    input: Any, block_size: Any, name: str | None = None, data_format: str = "NHWC"
) -> Tensor:
    """Move channels to blocks of rows and columns: the inverse of `space_to_depth`.

    `input` holds images of shape ``[batch, rows, columns, channels]``.  `block_size` is
    the size of the blocks, at least 2; its square divides the channels.  `data_format`
    is as for `space_to_depth`.  It raises ValueError if the sizes do not fit.
    """
    with name_scope(name, "DepthToSpace"):
        images, block = _images(input, block_size, data_format)
        n, rows, columns, depth = _extents(images, (1, 1, 1, block * block))
        parts = reshape(images, [n, rows, columns, block, block, depth])
        swapped = transpose(parts, [0, 1, 3, 2, 4, 5])
        moved = reshape(swapped, [n, rows * block, columns * block, depth])
        return _in_format(moved, data_format)


def space_to_batch_nd(
    input: Any, block_shape: Any, paddings: Any, name: str | None = None
) -> Tensor:
    """Pad axes, and move their blocks to the batch.

    `input` is a tensor of shape ``[batch, *axes, *rest]``.  `block_shape` is the size
    of the blocks along each of the axes, known integers.  `paddings` is a pair (before,
    after) of zeros to add for each of the axes.  It raises ValueError if the sizes do
    not fit.

    Examples
    --------
    >>> image = tf.reshape(tf.range(4), [1, 2, 2, 1])
    >>> batch = tf.space_to_batch_nd(image, [2, 2], [[0, 0], [0, 0]])
    >>> tf.Session().run(batch).reshape(-1).tolist()
    [0, 1, 2, 3]
    """
    with name_scope(name, "SpaceToBatchND"):
        block = static_integers(block_shape, "tf.space_to_batch_nd: block_shape")
        count = len(block)
        padded = convert_to_tensor(input)
        rest = _rank(padded) - count - 1
        edges = convert_to_tensor(paddings, "int32")
        padded = pad(padded, pad(edges, [[1, rest], [0, 0]]))
        n, *sizes = _extents(padded, (1, *block, *[1] * rest))
        inner = [s for pair in zip(sizes[:count], block, strict=True) for s in pair]
        parts = reshape(padded, [n, *inner, *sizes[count:]])
        places = range(1, count + 1)
        order = [2 * k for k in places] + [0] + [2 * k - 1 for k in places]
        order += range(2 * count + 1, 2 * count + 1 + rest)
        return reshape(transpose(parts, order), [n * int(np.prod(block)), *sizes])


def batch_to_space_nd(
    input: Any, block_shape: Any, crops: Any, name: str | None = None
) -> Tensor:
    """Move the batch to blocks along axes, and crop them.

    It is the inverse of `space_to_batch_nd`.  `input` is a tensor of shape
    ``[batch, *axes, *rest]``.  `block_shape` is the size of the blocks along each of
    the axes, known integers.  `crops` is a pair (before, after) of elements to remove
    for each of the axes.  It raises ValueError if the sizes do not fit.
    """
    with name_scope(name, "BatchToSpaceND"):
        block = static_integers(block_shape, "tf.batch_to_space_nd: block_shape")
        count = len(block)
        tensor = convert_to_tensor(input)
        rest = _rank(tensor) - count - 1
        n, *sizes = _extents(tensor, (int(np.prod(block)), *[1] * (count + rest)))
        parts = reshape(tensor, [*block, n, *sizes])
        order = [count]
        for axis in range(count):
            order += [count + 1 + axis, axis]
        order += range(2 * count + 1, 2 * count + 1 + rest)
        wide = [size * step for size, step in zip(sizes[:count], block, strict=True)]
        whole = reshape(transpose(parts, order), [n, *wide, *sizes[count:]])
        edges = convert_to_tensor(crops, "int32")
        lead = (
            slice(None),
            *(slice(edges[k, 0], size - edges[k, 1]) for k, size in enumerate(wide)),
        )
        return whole[lead]


def space_to_depth_v2(
    input: Any, block_size: Any, data_format: str = "NHWC", name: str | None = None
) -> Tensor:
    """Return `space_to_depth`, with the parameters of TensorFlow 2."""
    return space_to_depth(input, block_size, name, data_format)


def depth_to_space_v2(
    input: Any, block_size: Any, data_format: str = "NHWC", name: str | None = None
) -> Tensor:
    """Return `depth_to_space`, with the parameters of TensorFlow 2."""
    return depth_to_space(input, block_size, name, data_format)


# -- sizes -------------------------------------------------------------------------


def _images(input: Any, block_size: Any, data_format: str) -> tuple[Tensor, int]:
    """Return images with the channels last, and the size of the blocks."""
    if data_format not in ("NHWC", "NCHW"):
        raise ValueError(f"data_format: expected NHWC or NCHW, got {data_format!r}")
    images = convert_to_tensor(input)
    block = static_integer(block_size, "block_size")
    if block < 2:
        raise ValueError(f"block_size: expected at least 2, got {block}")
    return (images if data_format == "NHWC" else transpose(images, [0, 2, 3, 1])), block


def _in_format(images: Tensor, data_format: str) -> Tensor:
    return images if data_format == "NHWC" else transpose(images, [0, 3, 1, 2])


def _rank(tensor: Tensor) -> int:
    rank = tensor.shape.rank
    if rank is None:
        raise ValueError(f"the rank must be known, got {tensor.describe()}")
    return rank


def _extents(tensor: Tensor, divisors: tuple[int, ...]) -> list[Any]:
    """Return the size of each axis divided by a number, as an int where it is known."""
    sizes: list[Any] = []
    if _rank(tensor) != len(divisors):
        raise ValueError(f"expected {len(divisors)} axes, got {tensor.describe()}")
    static = tensor.shape.as_list()
    for axis, (size, divisor) in enumerate(zip(static, divisors, strict=True)):
        if size is not None and size % divisor:
            raise ValueError(
                f"axis {axis}: expected a multiple of {divisor}, got {size}"
            )
        known = shape_of(tensor)[axis] if size is None else size
        sizes.append(known // divisor)
    return sizes
