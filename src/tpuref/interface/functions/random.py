"""Functions that draw random numbers, and their seeds.

Each evaluation draws new numbers.  The sequence of draws is the same in each session if
the graph (`set_random_seed`) or the operation has a seed; otherwise every session draws
differently.
"""

from typing import Any

from tpuref.base.arguments import name_or, wrong_type
from tpuref.base.dtypes import as_dtype, float32, int64
from tpuref.engine.graph.build import apply, apply_one
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.default import get_default_graph
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.arguments import refine_shape, shape_tensor

DEFAULT_GRAPH_SEED = 87654321
"""The graph's part of the seeds if only the operation has one."""

# -- seeds -------------------------------------------------------------------------


def set_random_seed(seed: int | None) -> None:
    """Set the seed of the default graph, from which its operations derive theirs.

    None removes the seed.

    Examples
    --------
    >>> def draw():
    ...     with tf.Graph().as_default(), tf.Session() as session:
    ...         tf.set_random_seed(7)
    ...         return float(session.run(tf.random_normal([])))
    >>> draw() == draw()
    True
    """
    get_default_graph().seed = _seed("tf.set_random_seed", seed)


def get_seed(op_seed: int | None) -> tuple[int | None, int | None]:
    """Return the graph's and the operation's seed for an operation given `seed`.

    Both are None if neither graph nor operation has a seed.  `op_seed` is the seed
    passed to the operation, or None.
    """
    return _seeds("tf.get_seed", op_seed)


def _seeds(function: str, seed: Any) -> tuple[int | None, int | None]:
    graph = get_default_graph()
    own = _seed(function, seed)
    if graph.seed is None:
        return (None, None) if own is None else (DEFAULT_GRAPH_SEED, own)
    return graph.seed, graph.version if own is None else own


def _seed(function: str, seed: Any) -> int | None:
    """Return a seed as an integer; a float may stand for a whole number."""
    if seed is None:
        return None
    try:
        number = int(seed)
        whole = bool(number == seed)
    except (TypeError, ValueError, OverflowError):
        whole = False
    if not whole:
        raise wrong_type(f"{function}: seed", "an integer or None", seed)
    return number


# -- real numbers and integers -----------------------------------------------------


def random_uniform(
    shape: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Return numbers distributed uniformly over ``minval <= x < maxval``.

    `minval` and `maxval` are scalars, or for floating point tensors that broadcast; by
    default 0 and 1.  Integers need `maxval`.  `dtype` is a floating-point type, int32
    or int64.  It raises ValueError if the dtype is invalid, or `maxval` is missing for
    integers.

    Examples
    --------
    >>> x = tf.Session().run(tf.random_uniform([3], 5, 7, tf.int32))
    >>> bool((x >= 5).all() and (x < 7).all())
    True
    """
    target = as_dtype(dtype)
    sizes = shape_tensor(shape)
    if target.is_integer:
        return _uniform_integers(sizes, minval, maxval, target, seed, name)
    if not target.is_floating:
        raise ValueError(
            "tf.random_uniform: dtype: expected a floating-point type, int32 or int64, "
            f"got {target.name}"
        )
    low = convert_to_tensor(minval, target)
    high = convert_to_tensor(1 if maxval is None else maxval, target)
    own = _seeds("tf.random_uniform", seed)
    drawn = apply("RandomUniform", sizes, dtype=target.name, seed=own)
    scaled = apply("Mul", refine_shape(drawn, sizes), apply("Sub", high, low))
    return apply_one("AddV2", scaled, low, name=name_or(name, "random_uniform"))


def _uniform_integers(
    sizes: Tensor, minval: Any, maxval: Any, dtype: Any, seed: Any, name: str | None
) -> Tensor:
    if maxval is None:
        raise ValueError(
            f"tf.random_uniform: maxval is missing; {dtype.name} needs a bound"
        )
    drawn: Tensor = apply(
        "RandomUniformInt",
        sizes,
        convert_to_tensor(minval, dtype),
        convert_to_tensor(maxval, dtype),
        seed=_seeds("tf.random_uniform", seed),
        name=name_or(name, "random_uniform"),
    )
    return refine_shape(drawn, sizes)


def random_normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Return normally distributed numbers.

    `shape` and `seed` are as for `random_uniform`.  `mean` and `stddev` are the mean
    and the standard deviation, scalars or tensors that broadcast.  `dtype` is a
    floating-point type.  It raises TypeError if the dtype is not floating point.

    Examples
    --------
    >>> tf.random_normal([2, 3]).shape.as_list()
    [2, 3]
    """
    seeds = _seeds("tf.random_normal", seed)
    drawn = _draw("RandomStandardNormal", shape, dtype, seeds)
    return _scale(drawn, mean, stddev, name_or(name, "random_normal"))


def truncated_normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Return normally distributed numbers within two standard deviations of the mean.

    Parameters, result and errors are those of `random_normal`.  `mean` and `stddev` are
    those before truncation.

    Examples
    --------
    >>> x = tf.Session().run(tf.truncated_normal([100], mean=10.0))
    >>> bool((abs(x - 10) <= 2).all())
    True
    """
    drawn = _draw("TruncatedNormal", shape, dtype, _seeds("tf.truncated_normal", seed))
    return _scale(drawn, mean, stddev, name_or(name, "truncated_normal"))


def _draw(op: str, shape: Any, dtype: Any, seeds: tuple[Any, Any]) -> Tensor:
    sizes = shape_tensor(shape)
    drawn: Tensor = apply(op, sizes, dtype=as_dtype(dtype).name, seed=seeds)
    return refine_shape(drawn, sizes)


def _scale(drawn: Tensor, mean: Any, stddev: Any, name: str) -> Tensor:
    return apply_one("AddV2", apply("Mul", drawn, stddev), mean, name=name)


# -- order and classes -------------------------------------------------------------


def random_shuffle(
    value: Any, seed: int | None = None, name: str | None = None
) -> Tensor:
    """Return a tensor with its rows (axis 0) in random order.

    The result has the same shape and dtype.

    Examples
    --------
    >>> sorted(tf.Session().run(tf.random_shuffle([1, 2, 3])).tolist())
    [1, 2, 3]
    """
    seeds = _seeds("tf.random_shuffle", seed)
    return apply_one("RandomShuffle", value, seed=seeds, name=name)


def categorical(
    logits: Any,
    num_samples: Any,
    dtype: Any = None,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Return classes drawn with probabilities proportional to ``exp(logits)``.

    The result is a tensor of shape ``[batch, num_samples]``.  `logits` is a
    floating-point tensor of shape ``[batch, classes]``.  `num_samples` is the number of
    classes to draw for each row.  `dtype` is int32 or int64, the default.

    Examples
    --------
    >>> sure = tf.random.categorical([[0.0, 1000.0]], 3)
    >>> tf.Session().run(sure).tolist()
    [[1, 1, 1]]
    """
    scores, count = convert_to_tensor(logits), convert_to_tensor(num_samples)
    target = int64 if dtype is None else as_dtype(dtype)
    return apply_one(
        "Multinomial",
        scores,
        count,
        output_dtype=target.name,
        seed=_seeds("tf.random.categorical", seed),
        name=name_or(name, "categorical"),
    )


def multinomial(
    logits: Any,
    num_samples: Any,
    seed: int | None = None,
    name: str | None = None,
    output_dtype: Any = None,
) -> Tensor:
    """Return classes drawn with probabilities proportional to ``exp(logits)``.

    Parameters and result are those of `categorical`.  `output_dtype` is its `dtype`.

    Examples
    --------
    >>> tf.Session().run(tf.multinomial([[1000.0, 0.0]], 2)).tolist()
    [[0, 0]]
    """
    return categorical(
        logits, num_samples, output_dtype, seed, name_or(name, "multinomial")
    )
