"""Convolution and pooling of images."""

from __future__ import annotations

from typing import Any

from tpuref.functions.arguments import static_integers
from tpuref.graph.build import apply
from tpuref.graph.tensor import Tensor

__all__ = [
    "avg_pool",
    "conv2d",
    "max_pool",
]


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
    use_cudnn_on_gpu
        Accepted for compatibility.
    data_format
        ``"NHWC"`` or ``"NCHW"``.
    dilations
        One, two or four numbers: the step between elements within a window.
    filters
        The new name of `filter`.

    Returns
    -------
    Tensor
        Images of the same dtype, with one channel per output of the filter.

    Raises
    ------
    ValueError
        If the arguments do not fit together.

    Examples
    --------
    >>> import tpuref as tf
    >>> image = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
    >>> sums = tf.nn.conv2d(image, tf.ones([2, 2, 1, 1]), strides=1, padding="VALID")
    >>> tf.Session().run(tf.squeeze(sums)).tolist()
    [[8.0, 12.0], [20.0, 24.0]]
    """
    function = "tf.nn.conv2d"
    if (filter is None) == (filters is None):
        raise ValueError(f"{function}: filter (or filters) is missing")
    _check_format(function, data_format)
    result: Tensor = apply(
        "Conv2D",
        input,
        filters if filter is None else filter,
        strides=_pair(function, "strides", strides, data_format),
        padding=_padding(function, padding, data_format),
        data_format=data_format,
        dilations=_pair(function, "dilations", dilations, data_format),
        name=name,
    )
    return result


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
    data_format: str = "NHWC",
    name: str | None = None,
    input: Any = None,
) -> Tensor:
    """Return the greatest element of each window of images.

    Parameters
    ----------
    value
        Real images of shape ``[batch, rows, columns, channels]``, or
        ``[batch, channels, rows, columns]`` for ``"NCHW"``.
    ksize
        One, two or four numbers: the size of the window.
    strides
        One, two or four numbers: the step of the windows.
    padding
        ``"SAME"`` or ``"VALID"``.
    data_format
        ``"NHWC"`` or ``"NCHW"``.
    input
        The new name of `value`.

    Returns
    -------
    Tensor
        Images of the same dtype and number of channels.

    Raises
    ------
    ValueError
        If the arguments do not fit together.

    Examples
    --------
    >>> import tpuref as tf
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
    data_format: str = "NHWC",
    name: str | None = None,
    input: Any = None,
) -> Tensor:
    """Return the mean of each window of images, excluding padding.

    Parameters
    ----------
    value
        Floating-point images of shape ``[batch, rows, columns, channels]``, or
        ``[batch, channels, rows, columns]`` for ``"NCHW"``.
    ksize
        One, two or four numbers: the size of the window.
    strides
        One, two or four numbers: the step of the windows.
    padding
        ``"SAME"`` or ``"VALID"``.
    data_format
        ``"NHWC"`` or ``"NCHW"``.
    input
        The new name of `value`.

    Returns
    -------
    Tensor
        Images of the same dtype and number of channels.

    Raises
    ------
    ValueError
        If the arguments do not fit together.

    Examples
    --------
    >>> import tpuref as tf
    >>> image = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
    >>> pooled = tf.nn.avg_pool(image, ksize=2, strides=2, padding="VALID")
    >>> tf.Session().run(tf.squeeze(pooled)).tolist()
    [[2.5, 4.5], [10.5, 12.5]]
    """
    images = input if value is None else value
    return _pool(
        "AvgPool", "tf.nn.avg_pool", images, ksize, strides, padding, data_format, name
    )


def _pool(
    op: str,
    function: str,
    images: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str,
    name: str | None,
) -> Tensor:
    _check_format(function, data_format)
    if not isinstance(padding, str):
        raise ValueError(f"{function}: padding: expected 'SAME' or 'VALID'")
    result: Tensor = apply(
        op,
        images,
        ksize=_pair(function, "ksize", ksize, data_format),
        strides=_pair(function, "strides", strides, data_format),
        padding=_padding(function, padding, data_format),
        data_format=data_format,
        name=name,
    )
    return result
