"""Convolution and pooling of images."""

from typing import Any

import numpy as np

from tpuref.base.arguments import name_or
from tpuref.engine.graph.build import apply, apply_one
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.tensor import Tensor
from tpuref.engine.ops.images import AVG_POOL, MAX_POOL
from tpuref.interface.functions.arguments import (
    refine_shape,
    shape_tensor,
    static_integers,
)
from tpuref.interface.functions.blocks import batch_to_space_nd, space_to_batch_nd
from tpuref.interface.functions.reshaping import expand_dims, squeeze
from tpuref.interface.functions.scopes import name_scope


def conv2d(
    input: Any,
    filter: Any = None,
    strides: Any = None,
    padding: Any = None,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
    filters: Any = None,
) -> Tensor:
    """Return the cross-correlation of images and filters.

    The results are images of the same dtype, with one channel per output of the filter.
    It raises ValueError if the arguments do not fit together.

    Parameters
    ----------
    input
        Floating-point images of shape ``[batch, rows, columns, channels]``, or
        ``[batch, channels, rows, columns]`` for ``"NCHW"``.
    filter
        A tensor of shape ``[rows, columns, channels, outputs]``.
    strides
        One, two or four numbers: the step of the windows along rows and columns.
    padding
        ``"SAME"``, ``"VALID"``, or a pair (before, after) for each of the four axes.
    data_format
        ``"NHWC"`` or ``"NCHW"``.
    dilations
        One, two or four numbers: the step between elements within a window.
    filters
        The new name of `filter`.

    Examples
    --------
    >>> image = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
    >>> sums = tf.nn.conv2d(image, tf.ones([2, 2, 1, 1]), strides=1, padding="VALID")
    >>> tf.Session().run(tf.squeeze(sums)).tolist()
    [[8.0, 12.0], [20.0, 24.0]]
    """
    function = "tf.nn.conv2d"
    if (filter is None) == (filters is None):
        raise ValueError(f"{function}: filter (or filters) is missing")
    _check_format(function, data_format)
    return apply_one(
        "Conv2D",
        input,
        filters if filter is None else filter,
        strides=_pair(function, "strides", strides, data_format),
        padding=_padding(function, padding, data_format),
        data_format=data_format,
        dilations=_pair(function, "dilations", dilations, data_format),
        name=name,
    )


def conv1d(
    value: Any = None,
    filters: Any = None,
    stride: Any = None,
    padding: Any = None,
    use_cudnn_on_gpu: Any = None,
    data_format: str | None = None,
    name: str | None = None,
    input: Any = None,
    dilations: Any = None,
) -> Tensor:
    """Return the cross-correlation of sequences and filters.

    The results are sequences of the same dtype, with one channel per output of the
    filter.  `value`, or `input`, are floating-point sequences ``[batch, steps,
    channels]``, or ``[batch, channels, steps]`` for ``"NCW"``.  `filters` is a tensor
    of shape ``[window, channels, outputs]``.  `stride` and `dilations` are integers:
    the step of the window, and the step inside it.  `padding` is ``"SAME"`` or
    ``"VALID"``, `data_format` ``"NWC"`` or ``"NCW"``; also ``"NHWC"`` and ``"NCHW"``.
    It raises ValueError if the arguments do not fit together.

    Examples
    --------
    >>> sums = tf.nn.conv1d([[[1.0], [2.0], [3.0]]], tf.ones([2, 1, 1]), 1, "VALID")
    >>> tf.Session().run(tf.squeeze(sums)).tolist()
    [3.0, 5.0]
    """
    function = "tf.nn.conv1d"
    layout = {None: "NHWC", "NWC": "NHWC", "NCW": "NCHW"}.get(data_format, data_format)
    _check_format(function, str(layout))
    row = 2 if layout == "NCHW" else 1
    (step,) = static_integers(stride, f"{function}: stride")[-1:]
    hole = 1 if dilations is None else static_integers(dilations, function)[-1]
    with name_scope(name_or(name, "conv1d")) as scope:
        result = conv2d(
            expand_dims(input if value is None else value, row),
            expand_dims(filters, 0),
            (1, step),
            padding,
            data_format=str(layout),
            dilations=(1, hole),
            name=scope,
        )
        return squeeze(result, [row])


def conv2d_transpose(
    value: Any = None,
    filter: Any = None,
    output_shape: Any = None,
    strides: Any = None,
    padding: Any = "SAME",
    data_format: str = "NHWC",
    name: str | None = None,
    input: Any = None,
    filters: Any = None,
    dilations: Any = None,
) -> Tensor:
    """Return the gradient of `conv2d` by its images: each pixel spread over a window.

    The results are images of the same dtype and the shape `output_shape`.  Other
    parameters are those of `conv2d`.  `value` are floating-point images of shape
    ``[batch, rows, columns, channels]``, or ``[batch, channels, rows, columns]`` for
    ``"NCHW"``.  `filter` is a tensor of shape ``[rows, columns, outputs, channels]``.
    `output_shape` is the shape of the result: that of images which `conv2d` makes
    `value` of.  `input` and `filters` are the new names of `value` and `filter`.  It
    raises ValueError if the arguments do not fit together.

    Examples
    --------
    >>> image = tf.constant([[[[1.0], [2.0]]]])
    >>> wide = tf.nn.conv2d_transpose(image, tf.ones([1, 2, 1, 1]), [1, 1, 4, 1], 2)
    >>> tf.Session().run(tf.squeeze(wide)).tolist()
    [1.0, 1.0, 2.0, 2.0]
    """
    function = "tf.nn.conv2d_transpose"
    if output_shape is None:
        raise ValueError(f"{function}: output_shape is missing")
    _check_format(function, data_format)
    images = convert_to_tensor(input if value is None else value)
    weights = convert_to_tensor(filters if filter is None else filter, images.dtype)
    holes = 1 if dilations is None else dilations
    attrs = {
        "strides": _pair(function, "strides", strides, data_format),
        "padding": _padding(function, padding, data_format),
        "data_format": data_format,
        "dilations": _pair(function, "dilations", holes, data_format),
    }
    sizes = shape_tensor(output_shape)
    result: Tensor = apply(
        "Conv2DBackpropInput",
        sizes,
        weights,
        images,
        name=name_or(name, "conv2d_transpose"),
        **attrs,
    )
    return refine_shape(result, sizes)


def atrous_conv2d(
    value: Any, filters: Any, rate: int, padding: Any, name: str | None = None
) -> Tensor:
    """Return `conv2d` with `rate` as the step between elements within a window.

    Examples
    --------
    >>> image = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
    >>> sums = tf.nn.atrous_conv2d(image, tf.ones([2, 2, 1, 1]), 2, "VALID")
    >>> float(tf.Session().run(tf.squeeze(sums)))
    16.0
    """
    return conv2d(value, filters, 1, padding, dilations=rate, name=name)


def depthwise_conv2d(
    input: Any,
    filter: Any,
    strides: Any,
    padding: Any,
    rate: Any = None,
    name: str | None = None,
    data_format: str | None = None,
    dilations: Any = None,
) -> Tensor:
    """Return the cross-correlation of each channel with its own filters.

    The results are images of the same dtype with ``channels * multiplier`` channels.
    `input` holds floating-point images, as for `conv2d`.  `filter` is a tensor of shape
    ``[rows, columns, channels, multiplier]``.  `strides`, `padding` and `data_format`
    are as for `conv2d`.  `rate` and `dilations` are one, two or four numbers: the step
    between elements within a window.  It raises ValueError if the arguments do not fit
    together.

    Examples
    --------
    >>> image = tf.constant([[[[1.0, 10.0], [2.0, 20.0]]]])
    >>> sums = tf.nn.depthwise_conv2d(image, tf.ones([1, 2, 2, 1]), 1, "VALID")
    >>> tf.Session().run(tf.squeeze(sums)).tolist()
    [3.0, 30.0]
    """
    function, layout = "tf.nn.depthwise_conv2d", data_format or "NHWC"
    _check_format(function, layout)
    holes = rate if dilations is None else dilations
    return apply_one(
        "DepthwiseConv2dNative",
        input,
        filter,
        strides=_pair(function, "strides", strides, layout),
        padding=_padding(function, padding, layout),
        data_format=layout,
        dilations=_pair(function, "dilations", 1 if holes is None else holes, layout),
        name=name_or(name, "depthwise"),
    )


def separable_conv2d(
    input: Any,
    depthwise_filter: Any,
    pointwise_filter: Any,
    strides: Any,
    padding: Any,
    rate: Any = None,
    name: str | None = None,
    data_format: str | None = None,
    dilations: Any = None,
) -> Tensor:
    """Return `depthwise_conv2d`, and then a convolution across channels.

    The results are images of the same dtype, with one channel per output.  Other
    parameters are those of `depthwise_conv2d`.  `pointwise_filter` is a tensor of shape
    ``[1, 1, channels * multiplier, outputs]``.

    Examples
    --------
    >>> pixel = tf.constant([[[[1.0, 10.0]]]])
    >>> total = tf.nn.separable_conv2d(
    ...     pixel, tf.ones([1, 1, 2, 1]), tf.ones([1, 1, 2, 1]), 1, "SAME"
    ... )
    >>> float(tf.Session().run(tf.squeeze(total)))
    11.0
    """
    layout = data_format or "NHWC"
    with name_scope(name_or(name, "separable_conv2d")) as scope:
        each = depthwise_conv2d(
            input, depthwise_filter, strides, padding, rate, None, layout, dilations
        )
        return conv2d(
            each, pointwise_filter, 1, "VALID", data_format=layout, name=scope
        )


def _check_format(function: str, data_format: str) -> None:
    if data_format not in ("NHWC", "NCHW"):
        raise ValueError(
            f"{function}: data_format: expected 'NHWC' or 'NCHW', got {data_format!r}"
        )


def _image_axes(data_format: str) -> tuple[int, int]:
    return (2, 3) if data_format == "NCHW" else (1, 2)


def _pair(
    function: str, argument: str, value: Any, data_format: str
) -> tuple[int, int]:
    """Return the numbers for rows and columns; those for other axes must be 1."""
    if value is None:
        raise ValueError(f"{function}: {argument} is missing")
    numbers = static_integers(value, f"{function}: {argument}")
    if len(numbers) == 4:
        rows, columns = _image_axes(data_format)
        if sum(numbers) != numbers[rows] + numbers[columns] + 2:
            raise ValueError(
                f"{function}: {argument} {list(numbers)}: expected 1 for the batch and "
                "channel axes"
            )
        numbers = (numbers[rows], numbers[columns])
    if len(numbers) == 1:
        numbers *= 2
    if len(numbers) != 2 or min(numbers) < 1:
        raise ValueError(
            f"{function}: {argument}: expected 1, 2 or 4 positive numbers, "
            f"got {value!r}"
        )
    return numbers[0], numbers[1]


def _padding(function: str, padding: Any, data_format: str) -> Any:
    if isinstance(padding, str) and padding.upper() in ("SAME", "VALID"):
        return padding.upper()
    if isinstance(padding, (list, tuple)) and len(padding) == 4:
        what = f"{function}: padding"
        return tuple(
            static_integers(padding[axis], what) for axis in _image_axes(data_format)
        )
    raise ValueError(
        f"{function}: padding: expected 'SAME', 'VALID' or four pairs, got {padding!r}"
    )


def max_pool(
    value: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = "NHWC",
    name: str | None = None,
    input: Any = None,
) -> Tensor:
    """Return the greatest element of each window of images.

    The results are images of the same dtype and number of channels.  Other parameters
    are those of `conv1d`.  `value` are real images of shape ``[batch, rows, columns,
    channels]``, or ``[batch, channels, rows, columns]`` for ``"NCHW"``.  `ksize` is
    one, two or four numbers: the size of the window.  `strides` is one, two or four
    numbers: the step of the windows.  `data_format` is ``"NHWC"`` or ``"NCHW"``.  It
    raises ValueError if the arguments do not fit together.

    Examples
    --------
    >>> image = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
    >>> pooled = tf.nn.max_pool(image, ksize=2, strides=2, padding="VALID")
    >>> tf.Session().run(tf.squeeze(pooled)).tolist()
    [[5.0, 7.0], [13.0, 15.0]]
    """
    images = input if value is None else value
    return _pool(
        "MaxPool", "tf.nn.max_pool", images, ksize, strides, padding, data_format, name
    )


def avg_pool(
    value: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = "NHWC",
    name: str | None = None,
    input: Any = None,
) -> Tensor:
    """Return the mean of each window of images, excluding padding.

    Parameters, result and errors are those of `max_pool`.  The images are
    floating-point.
    """
    images = input if value is None else value
    return _pool(
        "AvgPool", "tf.nn.avg_pool", images, ksize, strides, padding, data_format, name
    )


def pool(
    input: Any,
    window_shape: Any,
    pooling_type: str,
    padding: Any,
    dilation_rate: Any = None,
    strides: Any = None,
    name: str | None = None,
    data_format: str | None = None,
    dilations: Any = None,
) -> Tensor:
    """Return the greatest element or the mean of each window of images.

    Result, errors and other parameters are those of `max_pool`.  `input` are images, as
    for `max_pool`.  `window_shape` and `strides` are each one or two numbers: the size
    of the window and its step, by default 1.  `pooling_type` is ``"MAX"`` or ``"AVG"``.
    `dilation_rate` and `dilations` are the step between elements of a window, by
    default 1.  It needs strides of 1 and ``"VALID"``, as in TensorFlow.

    Examples
    --------
    >>> image = tf.reshape(tf.range(4.0), [1, 2, 2, 1])
    >>> float(tf.Session().run(tf.nn.pool(image, [2, 2], "AVG", "VALID"))[0, 0, 0, 0])
    1.5
    """
    function = "tf.nn.pool"
    known = {"MAX": MAX_POOL, "AVG": AVG_POOL}
    if not isinstance(pooling_type, str) or pooling_type not in known:
        raise ValueError(
            f"{function}: pooling_type: expected 'MAX' or 'AVG', got {pooling_type!r}"
        )
    steps, window, holes = (
        np.broadcast_to(static_integers(1 if one is None else one, function), 2)
        for one in (strides, window_shape, dilation_rate or dilations)
    )
    if (steps > window).any() or (max(steps) > 1 and max(holes) > 1):
        raise ValueError(
            f"{function}: expected strides of at most {window.tolist()}, and of 1 with "
            f"dilations {holes.tolist()}, got {steps.tolist()}"
        )
    operation, place = known[pooling_type].name, (data_format, name)
    if max(holes) == 1:
        sizes = window.tolist(), steps.tolist()
        return _pool(operation, function, input, *sizes, padding, *place)
    extents = convert_to_tensor(input).shape.as_list()[1:3]
    if None in extents or data_format not in (None, "NHWC") or padding != "VALID":
        raise ValueError(
            f"{function}: dilations need images of known size, NHWC, and padding "
            f"'VALID', got {extents}, {data_format!r} and {padding!r}"
        )
    edges = [[0, size] for size in -np.array(extents) % holes]
    blocks = space_to_batch_nd(input, holes, edges)
    pooled = _pool(operation, function, blocks, window.tolist(), 1, "VALID", *place)
    return batch_to_space_nd(pooled, holes, edges)


def _pool(
    op: str,
    function: str,
    images: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str | None,
    name: str | None,
) -> Tensor:
    data_format = data_format or "NHWC"
    _check_format(function, data_format)
    if not isinstance(padding, str):
        raise ValueError(f"{function}: padding: expected 'SAME' or 'VALID'")
    return apply_one(
        op,
        images,
        ksize=_pair(function, "ksize", ksize, data_format),
        strides=_pair(function, "strides", strides, data_format),
        padding=_padding(function, padding, data_format),
        data_format=data_format,
        name=name,
    )


def conv2d_v2(
    input: Any,
    filters: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Return `conv2d`, with the parameters of TensorFlow 2."""
    holes = 1 if dilations is None else dilations
    return conv2d(input, filters, strides, padding, True, data_format, holes, name)


def conv1d_v2(
    input: Any,
    filters: Any,
    stride: Any,
    padding: Any,
    data_format: str = "NWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Return `conv1d`, with the parameters of TensorFlow 2."""
    return conv1d(
        input, filters, stride, padding, None, data_format, name, None, dilations
    )


def conv2d_transpose_v2(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: str = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Return `conv2d_transpose`, with the parameters of TensorFlow 2."""
    place = (strides, padding, data_format, name)
    return conv2d_transpose(input, filters, output_shape, *place, dilations=dilations)


def depthwise_conv2d_v2(
    input: Any,
    filter: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Return `depthwise_conv2d`, with the parameters of TensorFlow 2."""
    return depthwise_conv2d(
        input, filter, strides, padding, dilations, name, data_format
    )


def separable_conv2d_v2(
    input: Any,
    depthwise_filter: Any,
    pointwise_filter: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Return `separable_conv2d`, with the parameters of TensorFlow 2."""
    weights = depthwise_filter, pointwise_filter
    return separable_conv2d(
        input, *weights, strides, padding, dilations, name, data_format
    )


def avg_pool_v2(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Return `avg_pool`, with the parameters of TensorFlow 2."""
    return avg_pool(input, ksize, strides, padding, data_format, name)
