"""Operations that draw random numbers from the replica's own generator.

The attr ``seed`` is the pair (graph seed, operation seed), from which the interpreter
makes the generator; the rules here do not look at it.
"""

from functools import partial
from typing import Any

import ml_dtypes
import numpy as np

from tpuref.base.dtypes import as_dtype
from tpuref.base.spec import TensorSpec
from tpuref.engine.ops import broadcasting
from tpuref.engine.ops.definition import OpDef, Operand, Traits
from tpuref.engine.ops.meaning import Array, ieee
from tpuref.engine.ops.sizes import require_index_scalar, shape_held_by, sizes_in

Seed = tuple[int | None, int | None]

# -- distributions of real numbers -------------------------------------------------


def _infer_real(shape: Operand, *, dtype: str, seed: Seed) -> TensorSpec:
    if as_dtype(dtype) not in broadcasting.FLOATING:
        raise TypeError(f"dtype: expected {broadcasting.FLOATING}, got {dtype}")
    return TensorSpec(shape_held_by(shape), dtype)


def _uniform(shape: Array, *, dtype: str, seed: Seed, rng: np.random.Generator) -> Any:
    """Draw from [0, 1) for all dtypes; rounding to 16 bits would reach 1."""
    sizes, target = sizes_in(shape), as_dtype(dtype).np
    if target.itemsize == 2:
        bits = 8 if target == ml_dtypes.bfloat16 else 11
        return (rng.integers(0, 2**bits, sizes) / 2**bits).astype(target)
    if target == np.float64:
        return rng.random(sizes, np.float64)
    return rng.random(sizes, np.float32)


def _standard_normal(
    shape: Array, *, dtype: str, seed: Seed, rng: np.random.Generator
) -> Array:
    return _normal(sizes_in(shape), as_dtype(dtype).np, rng)


def _normal(
    sizes: tuple[int, ...], dtype: np.dtype[np.generic], rng: np.random.Generator
) -> Array:
    if dtype == np.float64:
        return rng.standard_normal(sizes, np.float64)
    return rng.standard_normal(sizes, np.float32).astype(dtype)


def _truncated_normal(
    shape: Array, *, dtype: str, seed: Seed, rng: np.random.Generator
) -> Array:
    """Redraw numbers two or more standard deviations from the mean."""
    target = as_dtype(dtype).np
    values = np.asarray(_normal(sizes_in(shape), target, rng))
    flat = values.reshape(-1)
    far = np.flatnonzero(np.abs(flat) >= 2)
    while far.size:
        flat[far] = _normal(far.shape, target, rng)
        far = far[np.abs(flat[far]) >= 2]
    return values


# -- integers, order and classes ---------------------------------------------------


def _infer_uniform_int(
    shape: Operand, minval: Operand, maxval: Operand, *, seed: Seed
) -> TensorSpec:
    broadcasting.require_same_dtype(minval, maxval)
    broadcasting.require_kind(minval, broadcasting.INDEX)
    broadcasting.require_rank(minval, 0)
    broadcasting.require_rank(maxval, 0)
    return TensorSpec(shape_held_by(shape), minval.dtype)


def _uniform_int(
    shape: Array, minval: Array, maxval: Array, *, seed: Seed, rng: np.random.Generator
) -> Array:
    if minval >= maxval:
        raise ValueError(f"expected minval < maxval, got {minval} and {maxval}")
    return rng.integers(int(minval), int(maxval), sizes_in(shape), minval.dtype.type)


def _infer_shuffle(value: Operand, *, seed: Seed) -> TensorSpec:
    return TensorSpec(value.shape, value.dtype)


def _shuffle(value: Array, *, seed: Seed, rng: np.random.Generator) -> Array:
    # An empty array shares no memory with itself, so NumPy would shuffle in place.
    return rng.permutation(value) if value.size and value.ndim else value.copy()


def _infer_multinomial(
    logits: Operand, num_samples: Operand, *, output_dtype: str, seed: Seed
) -> TensorSpec:
    broadcasting.require_kind(logits, broadcasting.FLOATING)
    if as_dtype(output_dtype) not in broadcasting.INDEX:
        raise TypeError(
            f"output_dtype: expected {broadcasting.INDEX}, got {output_dtype}"
        )
    rows = broadcasting.require_rank(logits, 2).as_tuple()[0]
    return TensorSpec([rows, require_index_scalar(num_samples)], output_dtype)


def _multinomial(
    logits: Array,
    num_samples: Array,
    *,
    output_dtype: str,
    seed: Seed,
    rng: np.random.Generator,
) -> Array:
    """Return the class whose cumulative probability covers a uniform number."""
    rows, classes = logits.shape
    if classes == 0 and rows:
        raise ValueError("expected one class or more")
    wide = logits.astype(np.float64)
    chances = np.exp(wide - np.max(wide, 1, keepdims=True, initial=-np.inf))
    limits = np.cumsum(chances, 1)
    limits /= limits[:, -1:]
    samples = np.empty((rows, int(num_samples)), output_dtype)
    for row in range(rows):
        drawn = rng.random(int(num_samples))
        samples[row] = np.searchsorted(limits[row], drawn, "right")
    return samples


_op = partial(OpDef, gradient="effects", traits=Traits(random=True))

OPERATIONS: tuple[OpDef, ...] = (
    _op("RandomUniform", infer=_infer_real, compute=ieee(_uniform)),
    _op("RandomUniformInt", infer=_infer_uniform_int, compute=ieee(_uniform_int)),
    _op("RandomStandardNormal", infer=_infer_real, compute=ieee(_standard_normal)),
    _op("TruncatedNormal", infer=_infer_real, compute=ieee(_truncated_normal)),
    OpDef(
        "RandomShuffle",
        infer=_infer_shuffle,
        compute=ieee(_shuffle),
        traits=Traits(random=True),
    ),
    _op("Multinomial", infer=_infer_multinomial, compute=ieee(_multinomial)),
)
