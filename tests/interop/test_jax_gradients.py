"""The rules of gradients beside JAX's derivatives of the same operations."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import mutually_broadcastable_shapes

import tpuref as tf
from tpuref.engine.graph.build import apply_all
from tpuref.engine.ops.definition import outputs_of
from tpuref.engine.ops.registry import REGISTRY

from ..differentiation.cases import CASES, Case

jax = pytest.importorskip("jax", reason="JAX is not installed")
jax.config.update("jax_enable_x64", True)
jnp, lax = jax.numpy, jax.lax

DTYPES = (np.float32, np.float64)
TOLERANCE = {np.float32: 1e-6, np.float64: 1e-12}


def seeds_for(outputs):
    rng = np.random.default_rng(3)
    return [
        rng.uniform(0.5, 1.5, np.shape(y)).astype(np.asarray(y).dtype) for y in outputs
    ]


def ours(name, inputs, by, attrs):
    """Return the gradients and the seeds that they began with."""
    with tf.Graph().as_default(), tf.Session() as sess:
        tensors = [tf.constant(x) for x in inputs]
        floats = [y for y in apply_all(name, *tensors, **attrs) if y.dtype.is_floating]
        seeds = seeds_for(sess.run(floats))
        missing = tf.UnconnectedGradients.ZERO
        found = tf.gradients(
            floats, [tensors[k] for k in by], seeds, unconnected_gradients=missing
        )
        return sess.run([tf.convert_to_tensor(g) for g in found]), seeds


def theirs(function, inputs, by, seeds):
    def of_some(*some):
        whole = list(inputs)
        for k, x in zip(by, some, strict=True):
            whole[k] = x
        found = outputs_of(function(*whole))
        return tuple(y for y in found if jnp.issubdtype(y.dtype, jnp.floating))

    _, back = jax.vjp(of_some, *[jnp.asarray(inputs[k]) for k in by])
    return back(tuple(jnp.asarray(seed) for seed in seeds))


def agree(name, function, inputs, by, attrs):
    found, seeds = ours(name, inputs, by, attrs)
    for mine, other in zip(found, theirs(function, inputs, by, seeds), strict=True):
        assert mine.dtype == other.dtype and mine.shape == other.shape
        scale = float(np.max(np.abs(other), initial=1.0))
        tolerance = TOLERANCE[inputs[by[0]].dtype.type]
        # relative to the greatest: sums cancel
        np.testing.assert_allclose(mine, other, 2 * tolerance, 2 * tolerance * scale)


def with_dtype(case, dtype):
    def converted(x):
        array = np.asarray(x)
        return array.astype(dtype) if array.dtype == np.float64 else array

    return [converted(x) for x in case.inputs]


def meaning_of(case):
    meaning = REGISTRY[case.name].meaning
    assert meaning is not None
    return lambda *arrays: meaning(jnp, *arrays, **case.attrs)


# Operations with a meaning that JAX does not judge, and why.
OTHERWISE = {
    "Frexp": "JAX differentiates no mantissa",
    "NextAfter": "JAX has no derivative",
    "Modf": "JAX has no derivative of modf",
    "DivMod": "FloorMod is the same",
    "Prod": "a zero is 0 / 0 in JAX's derivative",
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "case",
    [
        case
        for case in CASES
        if case.name not in OTHERWISE and REGISTRY[case.name].meaning is not None
    ],
    ids=lambda case: case.name,
)
def test_cases(case, dtype):
    attrs = dict(case.attrs)
    if case.name == "Cast":
        attrs["dtype"] = np.dtype(dtype).name
    inputs = with_dtype(case, dtype)
    agree(case.name, meaning_of(Case(case.name, (), attrs)), inputs, case.by, attrs)


BINARY = (
    *("AddV2", "Sub", "Mul", "RealDiv", "DivNoNan", "SquaredDifference", "Maximum"),
    *("Minimum", "Fmax", "Fmin", "LogAddExp", "LogAddExp2", "Hypot", "Atan2", "Pow"),
)


@pytest.mark.parametrize("name", BINARY)
@settings(max_examples=8, deadline=None, derandomize=True)
@given(data=st.data())
def test_broadcast_shapes(name, data):
    shapes = mutually_broadcastable_shapes(num_shapes=2, max_dims=3, max_side=3)
    drawn, dtype = data.draw(shapes).input_shapes, data.draw(st.sampled_from(DTYPES))
    rng = np.random.default_rng(data.draw(st.integers(0, 1000)))
    inputs = [rng.uniform(0.25, 2.0, shape).astype(dtype) for shape in drawn]
    meaning = REGISTRY[name].meaning
    assert meaning is not None
    agree(name, lambda *xs: meaning(jnp, *xs), inputs, (0, 1), {})


@pytest.mark.parametrize(
    "name", ["Sum", "Mean", "Max", "Prod", "Variance", "LogSumExp"]
)
@settings(max_examples=8, deadline=None, derandomize=True)
@given(data=st.data())
def test_folds(name, data):
    shape = tuple(data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=3)))
    axes = data.draw(st.sets(st.integers(0, len(shape) - 1)))
    attrs: dict[str, Any] = {
        "axis": data.draw(st.sampled_from([None, tuple(axes)])),
        "keepdims": data.draw(st.booleans()),
    }
    if name == "Variance":
        attrs["ddof"] = 0
    dtype = data.draw(st.sampled_from(DTYPES))
    x = np.random.default_rng(5).uniform(0.25, 2.0, shape).astype(dtype)
    meaning = REGISTRY[name].meaning
    assert meaning is not None
    agree(name, lambda x: meaning(jnp, x, **attrs), [x], (0,), attrs)


def test_complex_numbers():
    """JAX gives the conjugate of TensorFlow's gradient."""
    rng = np.random.default_rng(2)
    a = rng.normal(size=(2, 3)) + 1j * rng.normal(size=(2, 3))
    b = rng.normal(size=(3, 2)) + 1j * rng.normal(size=(3, 2))

    def mine(x, y):
        z = tf.matmul(x, y) * tf.exp(tf.matmul(y, y, adjoint_a=True))
        return tf.reduce_sum(tf.math.real(z / tf.sqrt(z)) + tf.math.imag(tf.sin(z)))

    def other(x, y):
        z = jnp.matmul(x, y) * jnp.exp(jnp.conj(y.T) @ y)
        return jnp.sum(jnp.real(z / jnp.sqrt(z)) + jnp.imag(jnp.sin(z)))

    x, y = tf.constant(a), tf.constant(b)
    found = tf.Session().run(tf.gradients(mine(x, y), [x, y]))
    for one, two in zip(found, jax.grad(other, (0, 1))(a, b), strict=True):
        np.testing.assert_allclose(one, np.conj(two), rtol=1e-9)
