"""Convolution and pooling over one, two or three axes, in terms of those of images."""

from typing import Any

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base.arguments import instance_of
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions import windows
from tpuref.interface.functions.arguments import static_integers
from tpuref.interface.functions.creation import zeros
from tpuref.interface.functions.extents import shape
from tpuref.interface.functions.joining import concat, split, stack
from tpuref.interface.functions.repetition import pad
from tpuref.interface.functions.reshaping import (
    expand_dims,
    reshape,
    squeeze,
    transpose,
)

Numbers = tuple[int, ...]


def _sizes(x: Tensor) -> list[Any]:
    return list(x.shape.as_list())


def _numbers(function: str, argument: str, value: Any, rank: int) -> Numbers:
    """Return a number for each spatial axis; None stands for 1."""
    sizes = (1,) if value is None else static_integers(value, f"{function}: {argument}")
    if len(sizes) == 1:
        sizes *= rank
    if len(sizes) == rank + 2:
        sizes = tuple(n for n in sizes[1:-1]) if sizes[-1] == 1 else sizes[2:]
    if len(sizes) != rank or min(sizes) < 1:
        raise codes.INVALID_ARGUMENT.value_error(
            f"{function}: {argument}: expected 1, {rank} or {rank + 2} positive "
            f"numbers, got {value!r}"
        )
    return sizes


def _is_same(function: str, padding: Any) -> bool:
    if not isinstance(padding, str) or padding.upper() not in ("SAME", "VALID"):
        raise codes.INVALID_ARGUMENT.value_error(
            f"{function}: padding: expected 'SAME' or 'VALID', got {padding!r}"
        )
    return padding.upper() == "SAME"


def _last(x: Tensor, data_format: str | None) -> tuple[Tensor, list[int] | None]:
    """Return a tensor with its channels last, and the order that moves them back."""
    rank = len(x.shape)
    if rank < 3:
        raise codes.WRONG_SHAPE.value_error(
            "tf.nn.convolution, tf.nn.pool: input: expected [batch, ..., channels], "
            f"with one to three axes between them, got {x.describe()}"
        )
    if data_format is not None:
        instance_of(str, "tf.nn.convolution: data_format", "a string", data_format)
    if data_format is None or not data_format.startswith("NC"):
        return x, None
    return transpose(x, [0, *range(2, rank), 1]), [0, rank - 1, *range(1, rank - 1)]


def _ends(size: int, window: int, stride: int) -> tuple[int, int]:
    """Return the zeros before and after an axis that SAME adds."""
    total = max((-(-size // stride) - 1) * stride + window - size, 0)
    return total // 2, total - total // 2


def convolution(
    input: Any,
    filters: Any,
    strides: Any = None,
    padding: Any = "VALID",
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Return the cross-correlation of a batch with filters over one to three axes.

    `input` is ``[batch, ..., channels]``, or ``[batch, channels, ...]`` for a
    `data_format` such as ``"NCHW"``.  `filters` is ``[..., channels / groups,
    outputs]``.  `strides` and `dilations` are each a number, or one for each axis: the
    step of windows, and of their elements.  At most one of both is above 1.  `padding`
    is ``"SAME"`` or ``"VALID"``.  It raises ValueError if the arguments do not fit
    together.

    Examples
    --------
    >>> with tf.eager_execution():
    ...     x = tf.reshape(tf.range(4.0), [1, 4, 1])
    ...     sums = tf.nn.convolution(x, tf.ones([2, 1, 1]), padding="VALID")
    ...     sums.numpy().ravel().tolist()
    [1.0, 3.0, 5.0]
    """
    if _above_one(strides) and _above_one(dilations):
        raise codes.INVALID_ARGUMENT.value_error(
            "tf.nn.convolution: strides above 1 exclude dilations above 1, got "
            f"{strides} and {dilations}; tf.nn.conv2d and conv3d take both"
        )
    return _convolve(input, filters, strides, padding, data_format, dilations)


def convolution_v1(
    input: Any,
    filter: Any,
    padding: Any,
    strides: Any = None,
    dilation_rate: Any = None,
    name: str | None = None,
    data_format: str | None = None,
    filters: Any = None,
    dilations: Any = None,
) -> Tensor:
    """Return `convolution`, with the parameters of TensorFlow 1.

    `filters` and `dilations` are other names of `filter` and `dilation_rate`.
    """
    weights = filter if filters is None else filters
    rates = dilation_rate if dilations is None else dilations
    return convolution(input, weights, strides, padding, data_format, rates, name)


def _above_one(numbers: Any) -> bool:
    return bool(np.any(np.asarray(1 if numbers is None else numbers) > 1))


def _convolve(
    input: Any, filters: Any, strides: Any, padding: Any, layout: Any, dilations: Any
) -> Tensor:
    function = "tf.nn.convolution"
    x, back = _last(convert_to_tensor(input), layout)
    weights = convert_to_tensor(filters, x.dtype)
    rank = len(weights.shape) - 2
    steps = _numbers(function, "strides", strides, rank)
    holes = _numbers(function, "dilations", dilations, rank)
    extra = len(x.shape) - 2 - rank
    if extra:
        raise codes.WRONG_SHAPE.value_error(
            f"tf.nn.convolution: input {x.describe()} has {extra:+d} axes beside those "
            "of the filters; give one batch axis and one of channels"
        )
    result = _correlate(x, weights, steps, _is_same(function, padding), holes)
    return result if back is None else transpose(result, back)


def _correlate(
    x: Tensor, weights: Tensor, steps: Numbers, same: bool, holes: Numbers
) -> Tensor:
    if len(steps) == 1:
        result = _correlate(
            expand_dims(x, 1), expand_dims(weights, 0), (1, *steps), same, (1, *holes)
        )
        return squeeze(result, [1])
    if len(steps) == 3:
        return _correlated_volumes(x, weights, steps, same, holes)
    how = "SAME" if same else "VALID"
    channels, own, outputs = _sizes(x)[-1], *_sizes(weights)[2:]
    if channels is None or channels == own:
        return windows.conv2d(x, weights, steps, how, dilations=holes)
    groups = channels // own if own else 0
    if not groups or channels % own or outputs % groups:
        raise codes.SHAPES_DIFFER.value_error(
            f"tf.nn.convolution: input has {channels} channels and filters "
            f"{weights.describe()}: expected filters for all of them, or for equal "
            "groups that divide the outputs"
        )
    if own == 1 and len(set(steps)) == 1:
        each = reshape(weights, [*_sizes(weights)[:2], channels, outputs // channels])
        return windows.depthwise_conv2d(x, each, [1, *steps, 1], how, holes)
    parts = zip(split(x, groups, -1), split(weights, groups, -1), strict=True)
    return concat(
        [windows.conv2d(a, b, steps, how, dilations=holes) for a, b in parts], -1
    )


def _correlated_volumes(
    x: Tensor, weights: Tensor, steps: Numbers, same: bool, holes: Numbers
) -> Tensor:
    """Correlate volumes as images: slices of a window are channels side by side."""
    window, own, outputs = (_sizes(weights)[:3], *_sizes(weights)[3:])
    channels = _sizes(x)[-1]
    if channels != own:
        groups = channels // own
        parts = zip(split(x, groups, -1), split(weights, groups, -1), strict=True)
        return concat(
            [_correlated_volumes(a, b, steps, same, holes) for a, b in parts], -1
        )
    span = (window[0] - 1) * holes[0] + 1
    if same:
        ends = _ends(_known(x, 1), span, steps[0])
        x = pad(x, [[0, 0], ends, [0, 0], [0, 0], [0, 0]])
    count = (_known(x, 1) - span) // steps[0] + 1
    last = (count - 1) * steps[0] + 1
    slices = [
        x[:, k * holes[0] : k * holes[0] + last : steps[0]] for k in range(window[0])
    ]
    rows, columns = shape(x)[2], shape(x)[3]
    flat = reshape(concat(slices, -1), stack([-1, rows, columns, window[0] * own]))
    flat.set_shape([None, *_sizes(x)[2:4], window[0] * own])
    turned = transpose(weights, [1, 2, 0, 3, 4])
    merged = reshape(turned, [*window[1:], window[0] * own, outputs])
    how = "SAME" if same else "VALID"
    result = windows.conv2d(flat, merged, steps[1:], how, dilations=holes[1:])
    sizes = _sizes(result)[1:]
    whole = reshape(result, concat([[-1, count], shape(result)[1:]], 0))
    whole.set_shape([_sizes(x)[0], count, *sizes])
    return whole


def _known(x: Tensor, axis: int) -> int:
    size = _sizes(x)[axis]
    if size is None:
        raise codes.UNKNOWN_SHAPE.value_error(
            f"tf.nn: volumes need a static depth, got {x.describe()}; give the input a "
            "shape"
        )
    return int(size)


def conv_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Return the gradient of `convolution` by its input.

    `input`, `strides`, `padding`, `data_format` and `dilations` are as for
    `convolution`.  `filters` is ``[..., outputs, channels]``.  `output_shape` is the
    shape of the result.

    Examples
    --------
    >>> with tf.eager_execution():
    ...     x = tf.ones([1, 2, 1])
    ...     y = tf.nn.conv_transpose(x, tf.ones([2, 1, 1]), [1, 4, 1], 2)
    ...     y.numpy().ravel().tolist()
    [1.0, 1.0, 1.0, 1.0]
    """
    function = "tf.nn.conv_transpose"
    x, back = _last(convert_to_tensor(input), data_format)
    weights = convert_to_tensor(filters, x.dtype)
    rank = len(weights.shape) - 2
    steps = _numbers(function, "strides", strides, rank)
    holes = _numbers(function, "dilations", dilations, rank)
    sizes = convert_to_tensor(output_shape)
    if back is not None:
        sizes = concat([sizes[:1], sizes[2:], sizes[1:2]], 0)
    result = _spread(x, weights, sizes, steps, _is_same(function, padding), holes)
    return result if back is None else transpose(result, back)


def _spread(
    x: Tensor,
    weights: Tensor,
    sizes: Tensor,
    steps: Numbers,
    same: bool,
    holes: Numbers,
) -> Tensor:
    how = "SAME" if same else "VALID"
    if len(steps) == 1:
        wide = concat([sizes[:1], [1], sizes[1:]], 0)
        result = _spread(
            expand_dims(x, 1),
            expand_dims(weights, 0),
            wide,
            (1, *steps),
            same,
            (1, *holes),
        )
        return squeeze(result, [1])
    if len(steps) == 2:
        return windows.conv2d_transpose(x, weights, sizes, steps, how, dilations=holes)
    known = sizes.operand().value
    if known is None:
        target: list[int] = [n or 0 for n in _result_sizes(x, weights, steps, same)]
    else:
        target = [int(n) for n in known[1:-1]]
    for axis, (n, step) in enumerate(zip(target, steps, strict=True), 1):
        window = (_sizes(weights)[axis - 1] - 1) * holes[axis - 1] + 1
        before = _ends(n, window, step)[0] if same else 0
        x = _apart(x, axis, step)
        start = window - 1 - before
        edges = [[0, 0]] * 5
        edges[axis] = [start, n + window - 1 - _known(x, axis) - start]
        x = pad(x, edges)
    turned = transpose(weights[::-1, ::-1, ::-1], [0, 1, 2, 4, 3])
    return _correlate(x, turned, (1, 1, 1), False, holes)


def _result_sizes(
    x: Tensor, weights: Tensor, steps: Numbers, same: bool
) -> list[int | None]:
    pairs = zip(_sizes(x)[1:-1], steps, _sizes(weights), strict=False)
    return [n * s if same else (n - 1) * s + w for n, s, w in pairs]


def _apart(x: Tensor, axis: int, step: int) -> Tensor:
    """Put zeros between the elements along an axis."""
    if step == 1:
        return x
    sizes = _sizes(x)
    wide = expand_dims(x, axis + 1)
    gaps = zeros(
        concat([shape(x)[: axis + 1], [step - 1], shape(x)[axis + 1 :]], 0), x.dtype
    )
    rows = concat([wide, gaps], axis + 1)
    known = _known(x, axis)
    flat = reshape(
        rows, concat([shape(x)[:axis], [known * step], shape(x)[axis + 1 :]], 0)
    )
    flat.set_shape([*sizes[:axis], known * step, *sizes[axis + 1 :]])
    return flat[(slice(None),) * axis + (slice(None, (known - 1) * step + 1),)]


def conv3d(
    input: Any,
    filters: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NDHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Return `convolution` of volumes, with strides and dilations at once."""
    return _convolve(input, filters, strides, padding, data_format, dilations)


# -- pooling -----------------------------------------------------------------------


def pool_nd(
    input: Any,
    window_shape: Any,
    pooling_type: str,
    strides: Any = None,
    padding: Any = "VALID",
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Return the greatest element or the mean of each window over one to three axes.

    `window_shape` holds the sizes of the window.  `pooling_type` is ``"MAX"`` or
    ``"AVG"``.  `dilations` is the step between elements of a window of images.  Other
    parameters are those of `convolution`.

    Examples
    --------
    >>> with tf.eager_execution():
    ...     x = tf.reshape(tf.range(4.0), [1, 4, 1])
    ...     pool_nd(x, [2], "MAX", [2]).numpy().ravel().tolist()
    [1.0, 3.0]
    """
    function = "tf.nn.pool"
    x, back = _last(convert_to_tensor(input), data_format)
    rank = len(x.shape) - 2
    window = _numbers(function, "window_shape", window_shape, rank)
    steps = _numbers(function, "strides", strides, rank)
    how = "SAME" if _is_same(function, padding) else "VALID"
    holes = _numbers(function, "dilations", dilations, rank)
    if rank == 2:
        result = windows.pool(x, window, pooling_type, how, holes, steps)
    else:
        result = _pool_batch(pooling_type, x, window, steps, how)
    return result if back is None else transpose(result, back)


def _pool_batch(
    kind: str, x: Tensor, window: Numbers, steps: Numbers, how: str
) -> Tensor:
    """Pool a batch with its channels last."""
    rank, sizes = len(window), _sizes(x)
    pooled = {"MAX": windows.max_pool, "AVG": windows.avg_pool}[kind]
    if rank == 2:
        result = pooled(x, window, steps, how)
    elif rank == 1:
        result = squeeze(pooled(expand_dims(x, 1), (1, *window), (1, *steps), how), [1])
    else:
        # A window of a volume is a window of its slices, and then one along its depth.
        outer, inner = shape(x)[:2], shape(x)[2:]
        flat = reshape(x, concat([[-1], inner], 0))
        flat.set_shape([None, *sizes[2:]])
        flat = pooled(flat, window[1:], steps[1:], how)
        after, sides = shape(flat)[1:], _sizes(flat)[1:]
        lines = reshape(flat, stack([outer[0], outer[1], -1, after[2]]))
        lines.set_shape([sizes[0], sizes[1], None, sizes[-1]])
        lines = pooled(lines, (window[0], 1), (steps[0], 1), how)
        result = reshape(lines, concat([shape(lines)[:2], after], 0))
        result.set_shape([sizes[0], _sizes(lines)[1], *sides])
    return result


def _pool(
    kind: str, input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any
) -> Tensor:
    last, back = _last(convert_to_tensor(input), data_format)
    rank = len(last.shape) - 2
    window, steps = (
        _numbers("tf.nn.pool", argument, value, rank)
        for argument, value in (("ksize", ksize), ("strides", strides))
    )
    how = "SAME" if _is_same("tf.nn.pool", padding) else "VALID"
    result = _pool_batch(kind, last, window, steps, how)
    return result if back is None else transpose(result, back)


def max_pool_nd(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Return the greatest element of each window over one to three axes.

    `input`, `padding` and `data_format` are as for `convolution`.  `ksize` and
    `strides` are the sizes of a window, and the step between windows: a number, one for
    each of the axes, or one for each dimension of `input`.
    """
    return _pool("MAX", input, ksize, strides, padding, data_format)


def avg_pool_nd(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Return the mean of each window over one to three axes; see `max_pool_nd`."""
    return _pool("AVG", input, ksize, strides, padding, data_format)


max_pool1d = max_pool3d = max_pool_nd
avg_pool1d = avg_pool3d = avg_pool_nd
