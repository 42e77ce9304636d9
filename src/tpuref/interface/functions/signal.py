"""Signals: Fourier transforms, frames, windows and short-time transforms."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tpuref.base.dtypes import complex64, complex128, float32, float64, int32
from tpuref.engine.graph.build import apply_one
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.arguments import static_integer
from tpuref.interface.functions.complex_numbers import conj, real
from tpuref.interface.functions.conversion import cast
from tpuref.interface.functions.creation import ones
from tpuref.interface.functions.creation import range as numbers
from tpuref.interface.functions.extents import shape as shape_of
from tpuref.interface.functions.indexing import gather_v2
from tpuref.interface.functions.joining import concat
from tpuref.interface.functions.reductions import reduce_sum
from tpuref.interface.functions.repetition import pad, tile
from tpuref.interface.functions.reshaping import reshape, reverse, transpose
from tpuref.interface.functions.segments import unsorted_segment_sum
from tpuref.interface.functions.trigonometry import cos

Window = Callable[..., Any]

_COMPLEX = {float32: complex64, float64: complex128}


# -- transforms --------------------------------------------------------------------


def fft(input: Any, name: str | None = None) -> Tensor:
    """Return the Fourier transform over the last axis of a complex tensor.

    Examples
    --------
    >>> with tf.eager_execution():
    ...     tf.signal.fft(tf.constant([1, 1j, -1, -1j])).numpy().round(3).real.tolist()
    [0.0, 4.0, 0.0, 0.0]
    """
    return apply_one("FFT", convert_to_tensor(input), rank=1, name=name)


def ifft(input: Any, name: str | None = None) -> Tensor:
    """Return the inverse of `fft`."""
    return apply_one("FFT", convert_to_tensor(input), rank=1, inverse=True, name=name)


def fft2d(input: Any, name: str | None = None) -> Tensor:
    """Return the Fourier transform over the last two axes of a complex tensor."""
    return apply_one("FFT", convert_to_tensor(input), rank=2, name=name)


def ifft2d(input: Any, name: str | None = None) -> Tensor:
    """Return the inverse of `fft2d`."""
    return apply_one("FFT", convert_to_tensor(input), rank=2, inverse=True, name=name)


def rfft(input: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """Return the frequencies from 0 of real signals, which lie in the last axis.

    `input` is float32 or float64.  `fft_length` is a list of one number: signals are
    cut or filled with zeros to this length.

    Examples
    --------
    >>> with tf.eager_execution():
    ...     tf.signal.rfft([1.0, 2.0, 1.0, 2.0]).numpy().real.tolist()
    [6.0, 0.0, -2.0]
    """
    signals = convert_to_tensor(input)
    count = _length_of(signals) if fft_length is None else _only(fft_length)
    whole = fft(cast(_fit_length(signals, count), _COMPLEX[signals.dtype]))
    return whole[..., : count // 2 + 1]


def irfft(input: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """Return the real signals of frequencies from 0, which lie in the last axis.

    `input` is complex64 or complex128.  `fft_length` is a list of one number, the
    length of the signals; by default an even one.
    """
    bins = convert_to_tensor(input)
    length = 2 * (_length_of(bins) - 1) if fft_length is None else _only(fft_length)
    half = _fit_length(bins, length // 2 + 1)
    mirrored = conj(reverse(half[..., 1 : (length + 1) // 2], [-1]))
    return real(ifft(concat([half, mirrored], -1)))


def _only(fft_length: Any) -> Any:
    known = convert_to_tensor(fft_length, int32).operand().value
    return convert_to_tensor(fft_length)[0] if known is None else int(known.ravel()[0])


def _length_of(signals: Tensor) -> Any:
    known = signals.shape.as_list()[-1]
    return shape_of(signals)[-1] if known is None else known


def _fit_length(signals: Tensor, count: Any) -> Tensor:
    """Return signals cut or filled with zeros to a length."""
    known = signals.shape.as_list()[-1]
    if isinstance(count, int) and known is not None and known >= count:
        return signals[..., :count]
    rank = len(signals.shape)
    return pad(signals, [[0, 0]] * (rank - 1) + [[0, count]])[..., :count]


# -- frames ------------------------------------------------------------------------


def frame(
    signal: Any,
    frame_length: Any,
    frame_step: Any,
    pad_end: bool = False,
    pad_value: Any = 0,
    axis: int = -1,
    name: str | None = None,
) -> Tensor:
    """Return overlapping parts of signals: the axis becomes frames and their samples.

    `signal` is a tensor.  `frame_length` and `frame_step` are the number of samples of
    a frame, and from one frame to the next.  `pad_end` says whether frames begin at all
    steps; missing samples then are `pad_value`.  `axis` is the axis of the samples.

    Examples
    --------
    >>> with tf.eager_execution():
    ...     tf.signal.frame([1, 2, 3, 4, 5], 3, 2).numpy().tolist()
    [[1, 2, 3], [3, 4, 5]]
    """
    signals = convert_to_tensor(signal)
    place = axis % len(signals.shape)
    size = static_integer(frame_length, "tf.signal.frame: frame_length")
    step = static_integer(frame_step, "tf.signal.frame: frame_step")
    known = signals.shape.as_list()[place]
    length: Any = shape_of(signals)[place] if known is None else known
    if pad_end:
        count = -(-length // step)
        margins: list[Any] = [[0, 0]] * len(signals.shape)
        margins[place] = [0, size]
        filler = convert_to_tensor(pad_value, signals.dtype)
        signals = pad(signals, margins, constant_values=filler)
    else:
        count = (length - size) // step + 1
        count = max(0, count) if isinstance(count, int) else count
    starts = reshape(numbers(count) * step, [-1, 1])
    return gather_v2(signals, starts + numbers(size), axis=place)


def overlap_and_add(signal: Any, frame_step: Any, name: str | None = None) -> Tensor:
    """Return signals made of frames, ``[..., frames, samples]``, added where they meet.

    Examples
    --------
    >>> with tf.eager_execution():
    ...     tf.signal.overlap_and_add([[1, 2], [3, 4]], 1).numpy().tolist()
    [1, 5, 4]
    """
    frames = convert_to_tensor(signal)
    step = static_integer(frame_step, "tf.signal.overlap_and_add: frame_step")
    rank, sizes = len(frames.shape), shape_of(frames)
    *_, known, size = frames.shape.as_list()
    count: Any = sizes[-2] if known is None else known
    samples: Any = sizes[-1] if size is None else size
    length = samples + step * (count - 1)
    places = reshape(numbers(count) * step, [-1, 1]) + numbers(samples)
    order = [rank - 2, rank - 1, *range(rank - 2)]
    flat = reshape(transpose(frames, order), concat([[-1], sizes[:-2]], 0))
    summed = unsorted_segment_sum(flat, reshape(places, [-1]), length)
    return transpose(summed, [*range(1, rank - 1), 0])


# -- windows -----------------------------------------------------------------------


def hann_window(
    window_length: Any,
    periodic: bool = True,
    dtype: Any = float32,
    name: str | None = None,
) -> Tensor:
    """Return the window of Hann.

    Examples
    --------
    >>> with tf.eager_execution():
    ...     tf.signal.hann_window(4).numpy().round(3).tolist()
    [0.0, 0.5, 1.0, 0.5]
    """
    return _raised_cosine(window_length, periodic, dtype, 0.5, 0.5)


def hamming_window(
    window_length: Any,
    periodic: bool = True,
    dtype: Any = float32,
    name: str | None = None,
) -> Tensor:
    """Return the window of Hamming."""
    return _raised_cosine(window_length, periodic, dtype, 0.54, 0.46)


def kaiser_window(
    window_length: Any,
    beta: float = 12.0,
    dtype: Any = float32,
    name: str | None = None,
) -> Tensor:
    """Return the window of Kaiser, whose length and `beta` are constants."""
    length = static_integer(window_length, "tf.signal.kaiser_window: window_length")
    shape = convert_to_tensor(beta).operand().value
    return cast(convert_to_tensor(np.kaiser(length, float(np.asarray(shape)))), dtype)


def _raised_cosine(
    length: Any, periodic: bool, dtype: Any, offset: float, height: float
) -> Tensor:
    count = cast(convert_to_tensor(length), int32)
    known = count.operand().value
    if known is not None and known == 1:
        return ones([1], dtype)
    even = 1 - count % 2
    period = cast(count + int(periodic) * even - 1, dtype)
    angles = cast(numbers(count), dtype) * (2 * math.pi) / period
    return offset - height * cos(angles)


def inverse_stft_window_fn(
    frame_step: int, forward_window_fn: Window = hann_window, name: str | None = None
) -> Window:
    """Return the window for `inverse_stft` with which it inverts `stft`."""

    def window(frame_length: Any, dtype: Any) -> Tensor:
        length = static_integer(frame_length, "inverse_stft_window_fn: frame_length")
        forward = convert_to_tensor(forward_window_fn(length, dtype=dtype))
        overlaps = -(-length // frame_step)
        squares = pad(forward * forward, [[0, overlaps * frame_step - length]])
        total = reduce_sum(reshape(squares, [overlaps, frame_step]), 0)
        return forward / tile(total, [overlaps])[:length]

    return window


# -- short-time transforms ---------------------------------------------------------


def stft(
    signals: Any,
    frame_length: Any,
    frame_step: Any,
    fft_length: Any = None,
    window_fn: Window | None = hann_window,
    pad_end: bool = False,
    name: str | None = None,
) -> Tensor:
    """Return the frequencies of the frames of real signals.

    `signals`, `frame_length`, `frame_step` and `pad_end` are as for `frame`.
    `fft_length` is the length that frames are filled to, by default the next power of
    2.  `window_fn` is a function of a length and a dtype; frames are multiplied by its
    result.

    Examples
    --------
    >>> with tf.eager_execution():
    ...     tf.signal.stft(tf.ones([2, 16]), 8, 4).shape.as_list()
    [2, 3, 5]
    """
    frames = frame(signals, frame_length, frame_step, pad_end)
    size = static_integer(frame_length, "tf.signal.stft: frame_length")
    if window_fn is not None:
        frames = frames * convert_to_tensor(window_fn(size, dtype=frames.dtype))
    return rfft(frames, [_transform_length(size, fft_length)])


def inverse_stft(
    stfts: Any,
    frame_length: Any,
    frame_step: Any,
    fft_length: Any = None,
    window_fn: Window | None = hann_window,
    name: str | None = None,
) -> Tensor:
    """Return the real signals of frequencies, as `stft` gives them.

    Parameters are those of `stft`; `inverse_stft_window_fn` gives the window that
    inverts it.
    """
    size = static_integer(frame_length, "tf.signal.inverse_stft: frame_length")
    frames = irfft(stfts, [_transform_length(size, fft_length)])
    frames = _fit_length(frames, size)
    if window_fn is not None:
        frames = frames * convert_to_tensor(window_fn(size, dtype=frames.dtype))
    return overlap_and_add(frames, frame_step)


def _transform_length(size: int, fft_length: Any) -> int:
    if fft_length is None:
        return 1 << (size - 1).bit_length()
    return static_integer(fft_length, "tf.signal.stft: fft_length")
