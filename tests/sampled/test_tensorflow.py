"""Programs drawn at random: tpuref gives what TensorFlow 1.15.5 gives.

``TPUREF_TENSORFLOW`` names a Python that has that release; without it, the environment
that ``tpuref conformance env tensorflow==1.15.5`` makes is used, if there is one.
"""

import os

import numpy as np
import pytest

import tpuref.compat.v1 as tf

from . import calls, judge
from .draft import CALLS, Draft
from .listed import LISTED

SAMPLES = int(os.environ.get("TPUREF_SAMPLES", "3000"))
FIRST = int(os.environ.get("TPUREF_FIRST_SAMPLE", "0"))
BLOCK = 500
PYTHON = judge.interpreter()


def entry(found):
    return next((one for one in LISTED if one.covers(found)), None)


def compare(programs):
    assert PYTHON is not None
    both = zip(
        judge.of_tpuref(programs), judge.of_tensorflow(programs, PYTHON), strict=True
    )
    return [
        judge.difference(program, ours, theirs)
        for program, (ours, theirs) in zip(programs, both, strict=True)
    ]


needs_tensorflow = pytest.mark.skipif(
    PYTHON is None, reason="TPUREF_TENSORFLOW names no Python"
)


@needs_tensorflow
@pytest.mark.parametrize("first", range(FIRST, FIRST + SAMPLES, BLOCK))
def test_tpuref_gives_what_tensorflow_gives(first):
    """Blocks of programs, which pytest-xdist shares out."""
    seeds = range(first, min(first + BLOCK, FIRST + SAMPLES))
    programs = [calls.draw(seed) for seed in seeds]
    differing = zip(seeds, programs, compare(programs), strict=True)
    unlisted = [
        (seed, program, found)
        for seed, program, found in differing
        if found is not None and entry(found) is None
    ]
    if unlisted:
        pytest.fail("\n\n".join(map(report, unlisted[:5])))


@needs_tensorflow
def test_what_is_listed_differs():
    shown = [(one, one.seed) for one in LISTED if one.seed is not None]
    found = compare([calls.draw(seed) for _, seed in shown])
    pairs = zip([one for one, _ in shown], found, strict=True)
    assert [one for one, d in pairs if d is None or entry(d) is not one] == []


def report(case):
    """Return the smallest program that differs as the one found does."""
    seed, program, found = case

    def differing(candidates):
        same = found.kind, found.call
        return [d is not None and (d.kind, d.call) == same for d in compare(candidates)]

    return f"seed {seed}: {found}\n{judge.script(judge.smallest(program, differing))}"


def test_every_call_is_drawn():
    drawn = {step["call"] for seed in range(len(CALLS)) for step in calls.draw(seed)}
    missing = {name for name in CALLS if name not in drawn} - {"tf.operators"}
    assert missing == set() and len(CALLS) > 200


def test_a_seed_gives_one_program():
    assert repr(calls.draw(3)) == repr(calls.draw(3)) != repr(calls.draw(4))


def test_most_programs_give_values():
    outcomes = judge.of_tpuref([calls.draw(seed) for seed in range(300)])
    raising = [
        o for o in outcomes if any(r and "raises" in r for s in o.values() for r in s)
    ]
    assert len(raising) < 120


def test_scripts_run():
    """What a failure prints gives the values that the comparison saw."""
    for seed in range(0, 600, 7):
        program = calls.draw(seed)
        (outcome,) = judge.of_tpuref([program])
        if any(r and "raises" in r for some in outcome.values() for r in some):
            continue
        with tf.Graph().as_default():
            made = {}
            exec(judge.script(program), made)
            assert made.keys() >= outcome.keys()


def test_the_smallest_program_keeps_what_differs():
    d = Draft(0)
    x = d.x(("float32",), (2,))
    y = d.step("tf.tanh", x)
    d.step("tf.exp", x)
    d.step("tf.abs", y)

    def differing(candidates):
        return [any(s["call"] == "tf.tanh" for s in one) for one in candidates]

    smaller = judge.smallest(d.steps, differing)
    assert [step["call"] for step in smaller] == ["input", "tf.tanh"]


def test_differences_are_seen():
    """A wrong value, dtype, static shape and a missing error are differences."""
    d = Draft(0)
    d.given("float32", (1,), low=1.5, high=1.5)
    program = d.steps
    program[0]["static"] = [None]
    (right,) = judge.of_tpuref([program])
    assert judge.difference(program, right, right) is None
    (fine,) = right["v0"]
    for kind, changed in [
        ("value", {"bytes": "AADAQA=="}),
        ("dtype", {"dtype": "int32"}),
        ("static", {"static": None}),
        ("less static", {"static": [1]}),
        ("sizes", {"sizes": []}),
        ("accepts", {"raises": "ValueError", "says": "no"}),
    ]:
        found = judge.difference(program, right, {"v0": [{**fine, **changed}]})
        assert found is not None and found.kind == kind


def placed(value, shape=None):
    return tf.placeholder_with_default(np.asarray(value), shape)


FLOATS = np.array([[1.0, -3.0, 2.0]], np.float32)


def static_gradient():
    """Return a size of the gradient of an input that broadcasts."""
    x = placed(FLOATS, [None, 3])
    (gradient,) = tf.gradients(x * placed(FLOATS), [x])
    return tf.constant(gradient.shape.as_list()[1])


def gradient(build, value):
    x = placed(value)
    return tf.gradients(build(x), [x])[0]


FOUND = {
    "floordiv rounds the quotient": (
        lambda: tf.constant(1.0) // tf.constant(0.1),
        10.0,
    ),
    "floordiv by infinity": (lambda: tf.floor_div(-3.0, float("inf")), -0.0),
    "mod of no integers": (
        lambda: tf.mod(tf.zeros([2, 0], tf.int32), tf.zeros([2, 1], tf.int32)),
        np.zeros([2, 0]),
    ),
    "gradient of mod": (
        lambda: tf.gradients(tf.mod(float("inf"), y := tf.constant(1.53)), [y])[0],
        -np.inf,
    ),
    "the gradient's static shape": (static_gradient, 3),
    "sequence_mask of fractions": (lambda: tf.sequence_mask(1.6, 2), [True, False]),
    "sigmoid of complex numbers": (lambda: tf.sigmoid(tf.constant(0j)), 0.5 + 0j),
    "gradient of bias_add": (
        lambda: tf.gradients(tf.nn.bias_add(placed(FLOATS), b := tf.zeros([3])), [b])[
            0
        ],
        [1.0, 1.0, 1.0],
    ),
    "gradient of tile": (
        lambda: gradient(lambda x: tf.tile(x, [2, 3]), FLOATS),
        [[6.0, 6.0, 6.0]],
    ),
    "leaky_relu's alpha is a float32": (
        lambda: tf.nn.leaky_relu(tf.constant(-2.18, tf.float64)),
        -2.18 * float(np.float32(0.2)),
    ),
    "slice with begins of int64": (
        lambda: tf.slice(placed([1, 2, 3]), tf.constant([1], tf.int64), [-1]),
        [2, 3],
    ),
    "gradient of a product over no axes": (
        lambda: gradient(lambda x: tf.reduce_prod(x, []), 1.5),
        1.0,
    ),
    "segments whose ids have an unknown rank": (
        lambda: tf.unsorted_segment_sum(
            placed([[1, 2], [3, 4]]), placed([[0, 1], [1, -1]]), 2
        ),
        [1, 5],
    ),
    "mean of no integers": (
        lambda: tf.reduce_mean(tf.zeros([0, 2], tf.uint8), 0),
        [0, 0],
    ),
    "sufficient_statistics": (
        lambda: tf.nn.sufficient_statistics(placed(FLOATS), [-1])[0],
        3.0,
    ),
}


@pytest.mark.parametrize("name", FOUND)
def test_found(name, session):
    build, wanted = FOUND[name]
    got = session.run(build())
    np.testing.assert_array_equal(got, wanted)
    assert np.array_equal(np.signbit(np.real(got)), np.signbit(np.real(wanted)))


def test_the_imaginary_part_of_real_numbers_is_not_connected():
    x = tf.constant([1.0])
    assert tf.gradients(tf.imag(x), [x]) == [None]
