"""Numbers drawn by rejection: gamma and binomial, with the draws of TensorFlow.

Each number takes Philox blocks from its own offset, such as ``256 * index``, so
that the number of attempts of one does not move the others.  The blocks give pairs of
float64 numbers, which are taken from the last to the first.
"""

from functools import partial

import numpy as np

from tpuref.base.dtypes import as_dtype
from tpuref.base.spec import TensorSpec
from tpuref.engine.ops import broadcasting
from tpuref.engine.ops.definition import OpDef, Operand
from tpuref.engine.ops.meaning import Array, ieee
from tpuref.engine.ops.sizes import shape_held_by, sizes_in
from tpuref.engine.ops.stateless import (
    blocks,
    check_seed,
    scrambled,
    wide_pairs,
    wide_unit,
)

_RESERVED = 256
_RESERVED_FOR_INVERSION = 42


class _Draws:
    """The draws of many numbers, each from its own blocks."""

    def __init__(self, seed: Array, count: int, reserved: int = _RESERVED) -> None:
        self._key, self._counter = scrambled(seed)
        self._next = np.arange(count, dtype=np.uint64) * np.uint64(reserved)
        self._kept = {kind: np.zeros((count, 2)) for kind in ("uniform", "normal")}
        self._left = {kind: np.zeros(count, int) for kind in ("uniform", "normal")}

    def uniform(self, who: Array) -> Array:
        """Return a uniform number for each of the given numbers."""
        return self._draw("uniform", who)

    def normal(self, who: Array) -> Array:
        """Return a normal number for each of the given numbers."""
        return self._draw("normal", who)

    def _draw(self, kind: str, who: Array) -> Array:
        kept, left = self._kept[kind], self._left[kind]
        empty = who[left[who] == 0]
        if empty.size:
            words = blocks(self._key, self._counter, self._next[empty]).reshape(-1)
            self._next[empty] += np.uint64(1)
            drawn = wide_unit(words) if kind == "uniform" else wide_pairs(words)
            kept[empty], left[empty] = drawn.reshape(-1, 2), 2
        left[who] -= 1
        return kept[who, left[who]]


def _gamma(shape: Array, seed: Array, alpha: Array) -> Array:
    """Return gamma numbers by the method of Marsaglia and Tsang."""
    sizes = sizes_in(shape)
    count = int(np.prod(sizes, dtype=np.int64))
    each = count // max(1, alpha.size)
    # The draws of one alpha follow each other.
    alphas = np.repeat(alpha.reshape(-1).astype(np.float64), each)
    draws, samples = _Draws(seed, count), np.empty(count)
    single = np.flatnonzero(alphas == 1.0)
    samples[single] = -np.log1p(-draws.uniform(single))
    left = np.flatnonzero(alphas != 1.0)
    small = alphas < 1.0
    d = alphas + np.where(small, 2.0 / 3, -1.0 / 3)
    c = 1.0 / 3 / np.sqrt(d)
    while left.size:
        x = draws.normal(left)
        v = 1 + c[left] * x
        positive = v > 0
        tried, x, v = left[positive], x[positive], v[positive] ** 3
        u, square = draws.uniform(tried), x * x
        limit = 0.5 * square + d[tried] * (1 - v + np.log(v))
        taken = (u < 1 - 0.0331 * square * square) | (np.log(u) < limit)
        done = tried[taken]
        samples[done] = d[done] * v[taken]
        boosted = done[small[done]]
        samples[boosted] *= draws.uniform(boosted) ** (1 / alphas[boosted])
        left = np.setdiff1d(left, done, assume_unique=True)
    numbers: Array = samples.reshape(-1, each).T.astype(alpha.dtype)
    return numbers.reshape(sizes)


def _binomial(
    shape: Array, seed: Array, counts: Array, probs: Array, *, dtype: str
) -> Array:
    """Return binomial numbers: inversion for small means, else Hormann's rejection."""
    sizes = sizes_in(shape)
    batch = np.broadcast_shapes(counts.shape, probs.shape)
    total = int(np.prod(sizes, dtype=np.int64))
    each = total // max(1, int(np.prod(batch, dtype=np.int64)))
    wide = (np.broadcast_to(x, batch).astype(np.float64) for x in (counts, probs))
    n, p = (np.repeat(x.reshape(-1), each) for x in wide)
    samples = np.where(np.isnan(p), np.nan, 0.0)
    q = np.minimum(p, 1 - p)
    drawn = (n > 0) & (q > 0)
    often = drawn & (n * q >= 10)
    few = _Draws(seed, total, _RESERVED_FOR_INVERSION)
    _invert(few, samples, np.flatnonzero(drawn & ~often), n, q)
    _reject(_Draws(seed, total), samples, np.flatnonzero(often), n, q)
    samples = np.where(p > 0.5, np.maximum(n, 0) - samples, samples)
    numbers: Array = samples.reshape(-1, each).T.astype(as_dtype(dtype).np)
    return numbers.reshape(sizes)


def _invert(draws: _Draws, samples: Array, left: Array, n: Array, p: Array) -> None:
    """Count geometric waiting times until their sum exceeds the trials."""
    samples[left] = 0
    waited = np.zeros(len(n))
    while left.size:
        waited[left] += np.ceil(np.log(draws.uniform(left)) / np.log1p(-p[left]))
        left = left[waited[left] <= n[left]]
        samples[left] += 1


def _reject(draws: _Draws, samples: Array, left: Array, n: Array, p: Array) -> None:
    """Draw by transformed rejection with squeeze (BTRS)."""
    while left.size:
        count, prob = n[left], p[left]
        deviation = np.sqrt(count * prob * (1 - prob))
        b = 1.15 + 2.53 * deviation
        a = -0.0873 + 0.0248 * b + 0.01 * prob
        ratio = prob / (1 - prob)
        mode = np.floor((count + 1) * prob)
        u, v = draws.uniform(left) - 0.5, draws.uniform(left)
        us = 0.5 - np.abs(u)
        k = np.floor((2 * a / us + b) * u + count * prob + 0.5)
        tight = (us >= 0.07) & (v <= 0.92 - 4.2 / b)
        sensible = (k >= 0) & (k <= count)
        scaled = np.log(v * (2.83 + 5.1 / b) * deviation / (a / (us * us) + b))
        with np.errstate(all="ignore"):
            bound = (
                (mode + 0.5) * np.log((mode + 1) / (ratio * (count - mode + 1)))
                + (count + 1) * np.log((count - mode + 1) / (count - k + 1))
                + (k + 0.5) * np.log(ratio * (count - k + 1) / (k + 1))
                + _tail(mode)
                + _tail(count - mode)
                - _tail(k)
                - _tail(count - k)
            )
        taken = tight | (sensible & (scaled <= bound))
        samples[left[taken]] = k[taken]
        left = left[~taken]


_TAILS = np.array(
    [
        *(0.0810614667953272, 0.0413406959554092, 0.0276779256849983),
        *(0.02079067210376509, 0.0166446911898211, 0.0138761288230707),
        *(0.0118967099458917, 0.0104112652619720, 0.00925546218271273),
        0.00833056343336287,
    ]
)


def _tail(k: Array) -> Array:
    """Return the remainder of Stirling's formula for the logarithm of k!."""
    square = (k + 1) * (k + 1)
    series = (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1)
    small: Array = np.where(k <= 9, _TAILS[np.clip(k, 0, 9).astype(int)], series)
    return small


def _infer_gamma(shape: Operand, seed: Operand, alpha: Operand) -> TensorSpec:
    check_seed(seed)
    broadcasting.require_kind(alpha, broadcasting.FLOATING)
    return TensorSpec(shape_held_by(shape), alpha.dtype)


def _infer_binomial(
    shape: Operand, seed: Operand, counts: Operand, probs: Operand, *, dtype: str
) -> TensorSpec:
    check_seed(seed)
    broadcasting.require_same_dtype(counts, probs)
    broadcasting.broadcast_shape(counts, probs)
    return TensorSpec(shape_held_by(shape), dtype)


_op = partial(OpDef, gradient="effects")

OPERATIONS: tuple[OpDef, ...] = (
    _op("StatelessRandomGammaV3", infer=_infer_gamma, compute=ieee(_gamma)),
    _op("StatelessRandomBinomial", infer=_infer_binomial, compute=ieee(_binomial)),
)
