"""Every rule against central differences in float64, and once more for its own."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import tpuref as tf
from tpuref.engine.graph.build import apply_all
from tpuref.engine.ops.derivatives.rule import not_differentiable
from tpuref.engine.ops.derivatives.rules import gradient_of
from tpuref.engine.ops.registry import REGISTRY

from .cases import CASES

STEP = 1e-5


class Program:
    """The gradient of a weighted sum of an operation's outputs, to be run again."""

    def __init__(self, case, order):
        self.values = [np.asarray(x) for x in case.inputs]
        with tf.Graph().as_default() as self.graph:
            self.given = [
                tf.placeholder(tf.as_dtype(np.asarray(x).dtype), np.shape(x))
                if k in case.by
                else tf.constant(x)
                for k, x in enumerate(case.inputs)
            ]
            self.by = [self.given[k] for k in case.by]
            self.value: Any = weighted(apply_all(case.name, *self.given, **case.attrs))
            for _ in range(order):
                missing = tf.UnconnectedGradients.ZERO
                slopes = tf.gradients(
                    self.value, self.by, unconnected_gradients=missing
                )
                self.slopes = [tf.convert_to_tensor(slope) for slope in slopes]
                self.last, self.value = self.value, weighted(self.slopes)
        self.session = tf.Session(graph=self.graph)

    def run(self, fetch, values):
        return self.session.run(fetch, dict(zip(self.by, values, strict=True)))


def weighted(tensors):
    """Add the elements of floating-point tensors up, each with a weight of its own."""
    total = tf.constant(0.0, tf.float64)
    for tensor in tensors:
        tensor = tf.convert_to_tensor(tensor)
        if tensor.dtype.is_floating:
            flat = tf.reshape(tf.cast(tensor, tf.float64), [-1])
            numbers = tf.cast(tf.range(tf.size(flat)), tf.float64)
            total += tf.reduce_sum(flat * (1.0 + tf.sin(numbers)))
    return total


def check(case, order):
    """Compare the slope along some directions with the difference of two values."""
    program = Program(case, order)
    values = [np.array(case.inputs[k], np.float64) for k in case.by]
    rng = np.random.default_rng(1)
    for k, slope in enumerate(program.run(program.slopes, values)):
        assert np.shape(slope) == values[k].shape
        for _ in range(3):
            direction = rng.choice([-1.0, 1.0], values[k].shape) * rng.random()
            sides = []
            for step in (STEP, -STEP):
                moved = [*values[:k], values[k] + step * direction, *values[k + 1 :]]
                sides.append(program.run(program.last, moved))
            expected = (sides[0] - sides[1]) / (2 * STEP)
            found = np.sum(slope * direction)
            np.testing.assert_allclose(found, expected, rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_first_derivatives(case):
    check(case, 1)
    narrow = replace(case, inputs=tuple(map(narrowed, case.inputs)))
    if case.name == "Cast":
        narrow = replace(narrow, attrs={"dtype": "float32"})
    found, expected = (
        program.run(program.slopes, [program.values[k] for k in case.by])
        for program in (Program(narrow, 1), Program(case, 1))
    )
    for less, more in zip(found, expected, strict=True):
        assert less.dtype == np.float32
        scale = float(np.max(np.abs(more), initial=1.0))
        np.testing.assert_allclose(less, more, 2e-5, 2e-5 * scale)


def narrowed(x):
    """Return float64 in float32, and other inputs as they are."""
    array = np.asarray(x)
    return array.astype(np.float32) if array.dtype == np.float64 else array


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.smooth], ids=lambda case: case.name
)
def test_second_derivatives(case):
    check(case, 2)


WITHOUT = {
    "Digamma": "second derivative of lgamma",
    **dict.fromkeys(("Qr", "Svd", "SelfAdjointEigV2", "Eig", "Lu"), "not written yet"),
    "UnsortedSegment": "not written yet",
    "RandomShuffle": "does not tell which row went where",
    "TPUReplicate": "differentiate inside the computation",
}
"""The operations that raise LookupError, and why."""

ELSEWHERE = {
    *("If", "While"),  # tests/differentiation/test_blocks.py
    *("CrossReplicaSum", "TowerSum", "TowerOwn", "TowerCopy"),  # test_replicas.py
    "Cholesky",  # tests/functions/test_decompositions.py
    *("Complex", "Imag", "Angle"),  # test_complex_numbers.py
    "FFT",  # tests/functions/test_math.py
}


def test_every_operation_has_a_rule_or_says_that_it_has_none():
    covered = {case.name for case in CASES} | ELSEWHERE
    for name in REGISTRY.names():
        rule = gradient_of(REGISTRY[name])
        if rule is None:
            assert name in WITHOUT or name in ELSEWHERE, name
        elif rule is not not_differentiable:
            assert name in covered, name
        assert (name in WITHOUT) <= (rule is None), name


def test_rows_without_elements_of_a_table() -> None:
    table = tf.placeholder_with_default(np.zeros([4, 0], np.float16), [4, 0])
    for ids in (np.zeros([3, 0], np.int64), np.array([[1], [2]])):
        rows = tf.nn.embedding_lookup([table], ids)
        (gradient,) = tf.gradients(tf.tanh(rows), [table])
        with tf.Session() as session:
            assert session.run(tf.convert_to_tensor(gradient)).shape == (4, 0)
            assert session.run(gradient.indices).shape == (ids.size,)
