"""Names that differ between the releases do in each what that release does."""

import importlib

import numpy as np
import pytest

import tpuref as tf
from tests.releases import measure

VALUES = {
    n: {case: both[n - 1] for _, case, both in measure.measured()} for n in (1, 2)
}
REASONS = measure.reasons()
CASES = [(n, name, case) for n in (1, 2) for name, case in measure.cases()]
HOSTED = ("boolean_mask", "gather_nd", "io.", "numpy_function", "where")
"""What a core does not run, or does not check."""


def module_of(number):
    return importlib.import_module(f"tpuref.compat.v{number}")


def assert_same(value, expected):
    if isinstance(expected, list) and isinstance(value, list):
        assert len(value) == len(expected)
        for one, other in zip(value, expected, strict=True):
            assert_same(one, other)
    elif isinstance(expected, float):
        assert value == pytest.approx(expected, rel=1e-6, abs=1e-6)
    else:
        assert value == expected
        assert type(value) is type(expected)


@pytest.mark.parametrize(("number", "name", "case"), CASES)
def test_the_value_of_the_release(number, name, case):
    if number == 2:
        tf.enable_v2_behavior()
    value = measure.value_of(module_of(number), case, number)
    if (number, case) in REASONS:
        with pytest.raises(AssertionError):
            assert_same(value, VALUES[number][case])
    else:
        assert_same(value, VALUES[number][case])


@pytest.mark.parametrize("number", [1, 2])
def test_on_three_replicas_and_twice(number, session):
    names = {case: name for name, case in measure.cases()}
    pure = [
        case
        for case, value in VALUES[number].items()
        if value not in (measure.FAILS, True, False)
        and (number, case) not in REASONS
        and names[case].startswith(("nn.", "math.", "reduce", "arg", "gather", "pad"))
        and "dropout" not in case
        and not names[case].startswith(HOSTED)
    ]
    scope = {"tf": module_of(number), "np": np}
    leaves = []

    def computation():
        results = [eval(case, dict(scope)) for case in pure]
        leaves[:] = [tf.nest.flatten(list(result) if isinstance(result, tuple) else
                                     result) for result in results]  # fmt: skip
        return [tensor for part in leaves for tensor in part]

    outputs = tf.tpu.replicate(computation, [[]] * 3)
    for replica in [*session.run(outputs), *session.run(outputs)]:
        rest = iter(replica)
        for case, part in zip(pure, leaves, strict=True):
            values = [next(rest).tolist() for _ in part]
            wanted = VALUES[number][case]
            assert_same(values if len(part) > 1 else values[0],
                        wanted if len(part) > 1 or np.ndim(values[0]) ==
                        np.ndim(wanted) else wanted[0])  # fmt: skip


@pytest.mark.parametrize(("number", "kept"), [(1, 0.1), (2, 0.9)])
def test_dropout_draws_anew_on_each_replica_and_in_each_run(number, kept, session):
    dropout = module_of(number).nn.dropout
    outputs = tf.tpu.replicate(lambda: [dropout(tf.ones([4000]), 0.1)], [[]] * 3)
    runs = [row[0] > 0 for _ in range(2) for row in session.run(outputs)]
    assert [mask.mean() for mask in runs] == pytest.approx([kept] * 6, abs=0.03)
    assert len({mask.tobytes() for mask in runs}) == 6


def test_tf_follows_the_mode():
    v1, v2 = module_of(1), module_of(2)
    for name in ["argmax", "where", "Variable", "nn.dropout", "math.in_top_k"]:
        space, _, last = name.rpartition(".")
        one, two = (
            getattr(getattr(module, space) if space else module, last)
            for module in (v1, v2)
        )

        def meant(space=space, last=last):
            return getattr(getattr(tf, space) if space else tf, last)

        assert one is not two
        assert meant() is one
        tf.enable_v2_behavior()
        assert meant() is two
        tf.disable_v2_behavior()
        assert meant() is one


def test_names_of_tensorflow_2_switch_and_the_log_says_so_once(caplog):
    with caplog.at_level("INFO", logger="tpuref"):
        tf.Module()
        assert tf.argmax is tf.compat.v2.argmax
        assert tf.nn.dropout is tf.compat.v2.nn.dropout
    (record,) = caplog.records
    assert record.getMessage().startswith("tf.argmax and other names")
    assert isinstance(tf.zeros([2]).shape[0], int)
    assert tf.compat.v1.argmax is not tf.argmax


def test_a_program_that_builds_graphs_stays_with_tensorflow_1():
    tf.placeholder(tf.float32)
    tf.Module()
    assert tf.argmax is tf.compat.v1.argmax


def test_tensors_as_keys():
    tf.enable_v2_behavior()
    x, v = tf.constant(1), tf.Variable(2)
    assert {x.ref(): "x", v.ref(): "v"}[x.ref()] == "x"
    assert v.ref().deref() is v
    traced = []

    @tf.function
    def compare(y):
        with pytest.raises(TypeError, match="ref"):
            hash(y)
        traced.append(y)
        return y == [1, 5], y != v

    assert [part.numpy().tolist() for part in compare(x)] == [[True, False], True]
    with tf.Graph().as_default():
        a = tf.constant(1)
        assert (a == 1) is False
        assert isinstance(hash(a), int)
    tf.compat.v1.disable_tensor_equality()
    assert (x == 1) is False
    tf.compat.v1.disable_v2_tensorshape()
    assert tf.zeros([2]).shape[0].value == 2
