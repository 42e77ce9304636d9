"""Random numbers that a seed decides: TensorFlow's, from its generator Philox.

A seed of two integers is scrambled to a key and a counter; each block of the counter
gives four words of 32 bits.  The numbers are computed from the words in order, so that
they are the same on every executor.
"""

from functools import partial

import ml_dtypes
import numpy as np

from tpuref.base.dtypes import as_dtype
from tpuref.base.spec import TensorSpec
from tpuref.engine.ops.broadcasting import FLOATING, require_kind, require_rank
from tpuref.engine.ops.definition import OpDef, Operand
from tpuref.engine.ops.meaning import Array, ieee
from tpuref.engine.ops.sizes import require_index_scalar, shape_held_by, sizes_in

_LOW = np.uint64(0xFFFFFFFF)
_WORD = np.uint64(32)
_TOGETHER = 1 << 13
"""Rows of the counter that go through the rounds together: 64 KiB a word, which stay
in the second cache.  All rows of 2.4 million numbers at once took 2.5 times as long."""

_RESERVED = 64
"""Philox blocks that each truncated normal number may take from."""


# -- words -------------------------------------------------------------------------


def philox(counter: Array, key: Array) -> Array:
    """Return blocks of four words for rows ``[n, 4]`` of the counter."""
    words = np.empty(counter.shape, np.uint32)
    for begin in range(0, len(counter), _TOGETHER):
        part = slice(begin, begin + _TOGETHER)
        for k, word in enumerate(_ten_rounds(counter[part], key)):
            words[part, k] = word
    return words


def _ten_rounds(counter: Array, key: Array) -> list[Array]:
    """Return the four words of each row of the counter."""
    c = [counter[:, k].astype(np.uint64) for k in range(4)]
    k0, k1 = np.uint64(key[0]), np.uint64(key[1])
    for _ in range(10):
        first, second = np.uint64(0xD2511F53) * c[0], np.uint64(0xCD9E8D57) * c[2]
        c = [
            (second >> _WORD) ^ c[1] ^ k0,
            second & _LOW,
            (first >> _WORD) ^ c[3] ^ k1,
            first & _LOW,
        ]
        k0 = (k0 + np.uint64(0x9E3779B9)) & _LOW
        k1 = (k1 + np.uint64(0xBB67AE85)) & _LOW
    return c


def scrambled(seed: Array) -> tuple[Array, int]:
    """Return the key and the counter, a number of 128 bits, for a seed."""
    bits = seed.astype(np.int64).astype(np.uint64)
    words = [bits[0] & _LOW, bits[0] >> _WORD, bits[1] & _LOW, bits[1] >> _WORD]
    first = philox(np.array([words], np.uint64), np.array([0x3EC8F720, 0x02461E29]))[0]
    return first[:2], (int(first[2]) << 64) | (int(first[3]) << 96)


def blocks(key: Array, counter: int, places: Array) -> Array:
    """Return the Philox blocks at some distances from the counter."""
    low = counter & (2**64 - 1)
    assert low + int(places.max(initial=0)) < 2**64  # never carries: low starts at 0
    own = np.uint64(low) + places.astype(np.uint64)
    high = counter >> 64
    rows = np.empty((len(places), 4), np.uint64)
    rows[:, 0], rows[:, 1] = own & _LOW, own >> _WORD
    rows[:, 2], rows[:, 3] = high & 0xFFFFFFFF, high >> 32
    return philox(rows, key)


def _words(seed: Array, count: int) -> Array:
    """Return the first words that a seed gives."""
    key, counter = scrambled(seed)
    places = np.arange(-(-count // 4), dtype=np.uint64)
    return blocks(key, counter, places).reshape(-1)[:count]


# -- numbers -----------------------------------------------------------------------


def _unit(words: Array) -> Array:
    """Return float32 numbers of [0, 1) with 23 random bits."""
    bits = (words & np.uint32(0x7FFFFF)) | np.uint32(127 << 23)
    drawn: Array = bits.view(np.float32) - np.float32(1)
    return drawn


def wide_unit(words: Array) -> Array:
    """Return float64 numbers of [0, 1), each from two words."""
    high = (words[0::2].astype(np.uint64) & np.uint64(0xFFFFF)) << _WORD
    bits = high | words[1::2].astype(np.uint64) | np.uint64(1023 << 52)
    drawn: Array = bits.view(np.float64) - 1
    return drawn


def _uniform(shape: Array, seed: Array, *, dtype: str) -> Array:
    sizes, target = sizes_in(shape), as_dtype(dtype).np
    count = int(np.prod(sizes, dtype=np.int64))
    if target == np.float64:
        return wide_unit(_words(seed, 2 * count)).reshape(sizes)
    words = _words(seed, count)
    if target.itemsize == 2:
        mantissa, bias = (7, 127) if target == ml_dtypes.bfloat16 else (10, 15)
        bits = (words & np.uint32(2**mantissa - 1)) | np.uint32(bias << mantissa)
        narrow: Array = bits.astype(np.uint16).view(target) - target.type(1)
        return narrow.reshape(sizes)
    return _unit(words).reshape(sizes)


def _uniform_int(shape: Array, seed: Array, minval: Array, maxval: Array) -> Array:
    sizes, dtype = sizes_in(shape), minval.dtype
    if not minval < maxval:
        raise ValueError(f"expected minval < maxval, got {minval} and {maxval}")
    count = int(np.prod(sizes, dtype=np.int64))
    span = int(maxval) - int(minval)
    if dtype.itemsize == 8:
        words = _words(seed, 2 * count).astype(np.uint64)
        drawn = (words[0::2] | words[1::2] << _WORD) % np.uint64(span)
    else:
        drawn = (_words(seed, count) % np.uint32(span)).astype(np.uint64)
    moved: Array = (drawn + np.uint64(int(minval) % 2**64)).astype(dtype)
    return moved.reshape(sizes)


def _full_int(shape: Array, seed: Array, *, dtype: str) -> Array:
    sizes, target = sizes_in(shape), as_dtype(dtype).np
    count = int(np.prod(sizes, dtype=np.int64))
    return _words(seed, count * target.itemsize // 4).view(target).reshape(sizes)


def _pairs(first: Array, second: Array) -> Array:
    """Return two normal numbers for two words each, as Box and Muller."""
    u = np.maximum(_unit(first), np.float32(1e-7))
    angle = (2 * np.pi * _unit(second).astype(np.float64)).astype(np.float32)
    size = np.sqrt(np.float32(-2) * np.log(u.astype(np.float64)).astype(np.float32))
    turned = angle.astype(np.float64)
    return np.stack([f(turned).astype(np.float32) * size for f in (np.sin, np.cos)], -1)


def wide_pairs(words: Array) -> Array:
    """Return two float64 normal numbers for four words each."""
    units = wide_unit(words).reshape(-1, 2)
    size = np.sqrt(-2 * np.log(np.maximum(units[:, 0], 1e-7)))
    angle = 2 * np.pi * units[:, 1]
    return np.stack([np.sin(angle) * size, np.cos(angle) * size], 1)


def _normal(shape: Array, seed: Array, *, dtype: str) -> Array:
    sizes, target = sizes_in(shape), as_dtype(dtype).np
    count = int(np.prod(sizes, dtype=np.int64))
    even = count + count % 2
    if target == np.float64:
        drawn = wide_pairs(_words(seed, 2 * even)).reshape(-1)
    else:
        words = _words(seed, even)
        drawn = _pairs(words[0::2], words[1::2]).reshape(-1)
    return drawn[:count].astype(target).reshape(sizes)


def _truncated_normal(shape: Array, seed: Array, *, dtype: str) -> Array:
    """Draw groups of numbers below 2 in size; each group has blocks of its own."""
    sizes, target = sizes_in(shape), as_dtype(dtype).np
    count = int(np.prod(sizes, dtype=np.int64))
    group = 2 if target == np.float64 else 4
    key, counter = scrambled(seed)
    result = np.empty((-(-count // group), group), target)
    left, depth = np.arange(len(result)), 4
    while left.size:
        places = left[:, None] * _RESERVED * group + np.arange(depth)
        words = blocks(key, counter, places.reshape(-1)).reshape(len(left), -1)
        if group == 2:
            drawn = wide_pairs(words.reshape(-1)).reshape(len(left), -1)
        else:
            drawn = _pairs(words[:, 0::2], words[:, 1::2]).reshape(len(left), -1)
        near = np.abs(drawn) < 2
        whole = near.sum(1) >= group
        order = np.argsort(~near[whole], axis=1, kind="stable")[:, :group]
        result[left[whole]] = np.take_along_axis(drawn[whole], order, 1).astype(target)
        left, depth = left[~whole], depth * 4
    return result.reshape(-1)[:count].reshape(sizes)


# -- order and classes -------------------------------------------------------------


def _shuffle(shape: Array, seed: Array) -> Array:
    """Return an order of rows: each place is exchanged with one not before it."""
    (count,) = sizes_in(shape)
    order = np.arange(count, dtype=np.int32)
    words = _words(seed, count)
    for place in range(count - 1):
        other = place + int(words[place]) % (count - place)
        order[[place, other]] = order[[other, place]]
    return order


def _multinomial(
    logits: Array, num_samples: Array, seed: Array, *, output_dtype: str
) -> Array:
    """Return the class whose cumulative probability covers a uniform number."""
    rows, count = len(logits), int(num_samples)
    units = wide_unit(_words(seed, 2 * rows * count)).reshape(rows, count)
    wide = logits.astype(np.float64)
    finite = np.isfinite(wide)
    largest = np.max(wide, 1, keepdims=True, where=finite, initial=-np.inf)
    chances = np.where(finite, np.exp(wide - largest), 0)
    limits = np.cumsum(chances, 1)
    drawn = [
        np.searchsorted(own, unit * own[-1], "right")
        for own, unit in zip(limits, units, strict=True)
    ]
    return np.array(drawn, output_dtype).reshape(rows, count)


# -- records -----------------------------------------------------------------------


def check_seed(seed: Operand) -> None:
    """Raise an error unless a seed has two integers."""
    if require_rank(seed, 1).as_tuple()[0] not in (None, 2):
        raise ValueError(f"seed: expected 2 integers, got {seed.describe()}")
    if not (seed.dtype.is_integer or seed.dtype.is_floating):
        raise TypeError(f"seed: expected integers, got {seed.describe()}")


def _infer_real(shape: Operand, seed: Operand, *, dtype: str) -> TensorSpec:
    check_seed(seed)
    if as_dtype(dtype) not in FLOATING:
        raise TypeError(f"dtype: expected {FLOATING}, got {dtype}")
    return TensorSpec(shape_held_by(shape), dtype)


def _infer_full(shape: Operand, seed: Operand, *, dtype: str) -> TensorSpec:
    check_seed(seed)
    return TensorSpec(shape_held_by(shape), dtype)


def _infer_int(
    shape: Operand, seed: Operand, minval: Operand, maxval: Operand
) -> TensorSpec:
    check_seed(seed)
    return TensorSpec(shape_held_by(shape), minval.dtype)


def _infer_shuffle(shape: Operand, seed: Operand) -> TensorSpec:
    check_seed(seed)
    return TensorSpec(shape_held_by(shape), "int32")


def _infer_multinomial(
    logits: Operand, num_samples: Operand, seed: Operand, *, output_dtype: str
) -> TensorSpec:
    check_seed(seed)
    require_kind(logits, FLOATING)
    rows = require_rank(logits, 2).as_tuple()[0]
    return TensorSpec([rows, require_index_scalar(num_samples)], output_dtype)


_op = partial(OpDef, gradient="effects")

OPERATIONS: tuple[OpDef, ...] = (
    _op("StatelessRandomUniform", infer=_infer_real, compute=ieee(_uniform)),
    _op("StatelessRandomUniformInt", infer=_infer_int, compute=ieee(_uniform_int)),
    _op("StatelessRandomFullInt", infer=_infer_full, compute=ieee(_full_int)),
    _op("StatelessMultinomial", infer=_infer_multinomial, compute=ieee(_multinomial)),
    _op("StatelessShuffle", infer=_infer_shuffle, compute=ieee(_shuffle)),
    _op("StatelessRandomNormal", infer=_infer_real, compute=ieee(_normal)),
    _op("StatelessTruncatedNormal", infer=_infer_real, compute=ieee(_truncated_normal)),
)
