"""Random numbers that depend on their seed alone."""

from typing import Any

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base.dtypes import as_dtype, float32, int32, int64
from tpuref.engine.graph.build import apply, apply_one
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.arguments import refine_shape, shape_tensor
from tpuref.interface.functions.arithmetic import maximum
from tpuref.interface.functions.extents import broadcast_dynamic_shape
from tpuref.interface.functions.extents import shape as shape_of
from tpuref.interface.functions.indexing import gather
from tpuref.interface.functions.reshaping import broadcast_to
from tpuref.interface.functions.selection import where_v2


def _draw(
    op: str, shape: Any, seed: Any, alg: Any, *bounds: Any, **attrs: Any
) -> Tensor:
    if str(getattr(alg, "value", alg)) not in ("auto_select", "philox", "1", "3"):
        raise codes.INVALID_ARGUMENT.value_error(
            f"tf.random.stateless_*: alg must be 'auto_select' or 'philox', got "
            f"{alg!r}; TensorFlow has the others on accelerators alone"
        )
    sizes = shape_tensor(shape)
    own = convert_to_tensor(seed)
    return refine_shape(apply_one(op, sizes, own, *bounds, **attrs), sizes)


def stateless_uniform(
    shape: Any,
    seed: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Tensor:
    """Return numbers distributed uniformly over ``minval <= x < maxval``.

    `shape` is the shape of the result.  `seed` is two integers, which decide the result
    alone: it has TensorFlow's bits.  `minval` and `maxval` are the bounds, by default 0
    and 1.  None for both gives all integers of the dtype.  `dtype` is a floating-point
    or integer type.  `alg` is ``"auto_select"`` or ``"philox"``.

    Examples
    --------
    >>> with tf.eager_execution():
    ...     tf.random.stateless_uniform([3], [1, 2], 0, 10, tf.int32).numpy().tolist()
    [0, 9, 4]
    """
    target = as_dtype(dtype)
    if not target.is_integer:
        drawn = _draw("StatelessRandomUniform", shape, seed, alg, dtype=target.name)
        low = convert_to_tensor(minval, target)
        high = convert_to_tensor(1 if maxval is None else maxval, target)
        return apply_one("AddV2", apply("Mul", drawn, apply("Sub", high, low)), low)
    if minval is None and maxval is None:
        return _draw("StatelessRandomFullInt", shape, seed, alg, dtype=target.name)
    if maxval is None:
        raise codes.INVALID_ARGUMENT.value_error(
            f"tf.random.stateless_uniform: maxval is missing; {target.name} needs it"
        )
    bounds = [convert_to_tensor(x, target) for x in (minval, maxval)]
    return _draw("StatelessRandomUniformInt", shape, seed, alg, *bounds)


def stateless_normal(
    shape: Any,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Tensor:
    """Return normally distributed numbers; parameters as for `stateless_uniform`."""
    return _draw_scaled("StatelessRandomNormal", shape, seed, mean, stddev, dtype, alg)


def stateless_truncated_normal(
    shape: Any,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Tensor:
    """Return `stateless_normal`, at most two standard deviations from the mean."""
    return _draw_scaled(
        "StatelessTruncatedNormal", shape, seed, mean, stddev, dtype, alg
    )


def _draw_scaled(
    op: str, shape: Any, seed: Any, mean: Any, stddev: Any, dtype: Any, alg: Any
) -> Tensor:
    target = as_dtype(dtype)
    drawn = _draw(op, shape, seed, alg, dtype=target.name)
    scaled = apply("Mul", drawn, convert_to_tensor(stddev, target))
    return apply_one("AddV2", scaled, convert_to_tensor(mean, target))


def random_split(seed: Any, num: int = 2, alg: Any = "auto_select") -> Tensor:
    """Return `num` seeds of independent numbers, ``[num, 2]``."""
    own = convert_to_tensor(seed)
    dtype = own.dtype if own.dtype in (int32, int64) else int64
    return stateless_uniform([num, 2], own, None, None, dtype, alg=alg)


def random_fold_in(seed: Any, data: Any, alg: Any = "auto_select") -> Tensor:
    """Return a seed made of a seed and an integer."""
    number = convert_to_tensor(data)
    first = stateless_uniform([], seed, None, None, number.dtype, alg=alg)
    return apply_one("Pack", first, number, axis=0)


def stateless_shuffle(
    value: Any, seed: Any, alg: Any = "auto_select", name: str | None = None
) -> Tensor:
    """Return the rows of a tensor in an order that a seed decides."""
    rows, own = convert_to_tensor(value), convert_to_tensor(seed)
    order: Tensor = apply("StatelessShuffle", shape_of(rows)[:1], own)
    return gather(rows, order)


def stateless_categorical(
    logits: Any,
    num_samples: Any,
    seed: Any,
    dtype: Any = int64,
    name: str | None = None,
) -> Tensor:
    """Return classes of each row, drawn in proportion to ``exp(logits)``."""
    return apply_one(
        "StatelessMultinomial",
        convert_to_tensor(logits),
        convert_to_tensor(num_samples, int32),
        convert_to_tensor(seed),
        output_dtype=as_dtype(dtype).name,
    )


def stateless_gamma(
    shape: Any,
    seed: Any,
    alpha: Any,
    beta: Any = None,
    dtype: Any = float32,
    name: str | None = None,
) -> Tensor:
    """Return numbers of gamma distributions.

    `shape` is the shape of the result; it ends with that of `alpha` and `beta`.  `seed`
    is as for `stateless_uniform`.  `alpha` and `beta` are the shapes and inverse scales
    of the distributions, floating-point; `beta` is 1 by default.  `dtype` is the dtype
    of `alpha` and of the result.
    """
    target = as_dtype(dtype)
    shapes = convert_to_tensor(alpha, target)
    rates = convert_to_tensor(1 if beta is None else beta, target)
    common = broadcast_dynamic_shape(shape_of(shapes), shape_of(rates))
    sizes = shape_tensor(shape)
    drawn = apply_one(
        "StatelessRandomGammaV3",
        sizes,
        convert_to_tensor(seed),
        broadcast_to(shapes, common),
    )
    least = convert_to_tensor(np.finfo(target.as_numpy_dtype).tiny, target)
    return maximum(least, refine_shape(drawn, sizes) / rates)


def stateless_binomial(
    shape: Any,
    seed: Any,
    counts: Any,
    probs: Any,
    output_dtype: Any = int32,
    name: str | None = None,
) -> Tensor:
    """Return numbers of successes among `counts` trials of probability `probs`.

    `shape` ends with the common shape of `counts` and `probs`.
    """
    trials = convert_to_tensor(counts)
    sizes = shape_tensor(shape)
    drawn = apply_one(
        "StatelessRandomBinomial",
        sizes,
        convert_to_tensor(seed),
        trials,
        convert_to_tensor(probs, trials.dtype),
        dtype=as_dtype(output_dtype).name,
    )
    return refine_shape(drawn, sizes)


def stateless_dropout(
    x: Any,
    rate: Any,
    seed: Any,
    rng_alg: Any = None,
    noise_shape: Any = None,
    name: str | None = None,
) -> Tensor:
    """Return a tensor with a fraction of its elements 0, and the others scaled up.

    Examples
    --------
    >>> with tf.eager_execution():
    ...     y = tf.nn.experimental.stateless_dropout(tf.ones([100]), 0.5, [1, 2])
    ...     sorted(set(y.numpy().tolist()))
    [0.0, 2.0]
    """
    values = convert_to_tensor(x)
    sizes = shape_of(values) if noise_shape is None else noise_shape
    alg = "auto_select" if rng_alg is None else rng_alg
    drawn = stateless_uniform(sizes, seed, dtype=values.dtype, alg=alg)
    share = convert_to_tensor(rate, values.dtype)
    scaled = values * (1 / (1 - share))
    return where_v2(drawn >= share, scaled, convert_to_tensor(0, values.dtype))
