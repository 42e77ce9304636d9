"""Programs of the host, prepared: they give what the interpreter gives."""

import numpy as np
import pytest

import tpuref as tf
from tpuref.engine.graph.lowering import lower
from tpuref.engine.runtime.meaning import host_program
from tpuref.engine.runtime.meaning.host_program import HostProgram
from tpuref.engine.runtime.meaning.lockstep import run_program
from tpuref.engine.runtime.meaning.rows import by_rows
from tpuref.engine.runtime.meaning.run import Run
from tpuref.engine.runtime.meaning.state import State
from tpuref.kernels import parts


def run():
    state = State()
    return Run(state=state, variables=[state], functions={}, timeout=1.0)


def program(fetches, fed=()):
    return lower(fetches, (), fed)


def same_as_the_interpreter(made, fed, made_run=run):
    expected = run_program(made, {0: fed}, made_run())[0]
    prepared = HostProgram(made)
    for _ in range(2):
        for given, wanted in zip(prepared.run(fed, made_run()), expected, strict=True):
            np.testing.assert_array_equal(given, wanted, strict=True)
            assert given.flags.c_contiguous


def test_results_are_those_of_the_interpreter():
    x = tf.placeholder(tf.float32, [None])
    v = tf.Variable([1.0, 2.0])
    with tf.control_dependencies([v.assign(2 * x + 1)]):
        later = v.read_value() / (x - x)  # infinite, without a warning
    whole = tf.cast(x, tf.int32) // 2
    first, *_ = tf.split(x, 2)
    high = tf.cond(x[0] > 0, lambda: x * 3, lambda: x)
    fetches = [later, whole, first, high, tf.reverse(x, [0]), tf.reduce_sum(x)]
    same_as_the_interpreter(program(fetches, [x]), [np.array([4, 5], np.float32)])


def test_functions_and_variables_do_not_go_through_the_interpreter(monkeypatch):
    seen, interpret = [], host_program.run_instr

    def noting(instr, *rest):
        seen.append(instr.op)
        return interpret(instr, *rest)

    monkeypatch.setattr(host_program, "run_instr", noting)
    x, v = tf.placeholder(tf.float32, [2]), tf.Variable([1.0, 2.0])
    with tf.control_dependencies([v.assign(tf.exp(x) * 2)]):
        made = program([v.read_value(), v.assign_sub([1.0, 1.0])], [x])
    HostProgram(made).run([np.zeros(2, np.float32)], run())
    assert seen == []


def test_errors_are_those_of_the_interpreter():
    x, y = tf.placeholder(tf.float32, [None]), tf.placeholder(tf.float32, [None])
    made = program([tf.exp(x) + y], [x, y])
    fed = [np.zeros(2, np.float32), np.zeros(3, np.float32)]
    with pytest.raises(tf.errors.InvalidArgumentError) as expected:
        run_program(made, {0: fed}, run())
    with pytest.raises(tf.errors.InvalidArgumentError) as raised:
        HostProgram(made).run(fed, run())
    assert raised.value.message == expected.value.message
    assert raised.value.op == expected.value.op == "add"


def elementwise_program():
    """Return a program of large and small arrays, with shapes that broadcast."""
    x = tf.placeholder(tf.float32, [None, 64, 16])
    y, bias = tf.sin(x), tf.constant(np.arange(16, dtype=np.float32))
    z = tf.nn.relu(tf.nn.bias_add(y, bias) - 0.5)
    slope = z * tf.cast(y > 0, tf.float32)
    narrow = tf.reduce_sum(slope, axis=[1, 2], keepdims=True)
    return program(
        [slope / (y * y), z + narrow, tf.exp(-z), narrow**2.0, slope**2], [x]
    )


@pytest.mark.parametrize("rows", [0, 3, 511, 600])
def test_threads_share_the_rows_of_large_arrays(rows, monkeypatch):
    monkeypatch.setattr(parts, "blas_threads", lambda: 3)
    made, draw = elementwise_program(), np.random.default_rng(5)
    same_as_the_interpreter(made, [draw.standard_normal((rows, 64, 16), np.float32)])


@pytest.mark.parametrize("rows", [40, 20_000])
def test_results_take_memory_that_nobody_reads_again(rows, monkeypatch):
    monkeypatch.setattr(parts, "blas_threads", lambda: 2)
    x = tf.placeholder(tf.float32, [rows, 128])
    once = tf.nn.relu(x * 2.0 + 1.0) - 3.0
    seen = x * 5.0
    view, later = tf.reshape(seen, [128, rows]), seen + 1.0  # over `seen`: not `view`
    twice = x - 7.0
    product = twice * twice + twice
    v = tf.Variable(np.ones([rows, 128], np.float32))
    added = v.assign_add(x * 0.5)
    fetches = [once, view * 2.0, later, product, added, tf.nn.bias_add(x, x[0])]
    fed = np.random.default_rng(6).standard_normal((rows, 128), np.float32)

    def with_value():
        made = run()
        made.state.write(v.handle, np.ones((rows, 128), np.float32))
        return made

    kept = fed.copy()
    same_as_the_interpreter(program(fetches, [x]), [fed], with_value)
    np.testing.assert_array_equal(fed, kept)


def test_an_update_keeps_the_array_that_was_read():
    v, x = tf.Variable(np.ones([64, 128], np.float32)), tf.placeholder(tf.float32)
    before = v.read_value()
    with tf.control_dependencies([before]):
        after = v.assign_add(tf.ones([64, 128]) * x)
    made, own = program([before, after], [x]), run()
    own.state.write(v.handle, np.ones((64, 128), np.float32))
    prepared = HostProgram(made)
    results = [prepared.run([np.float32(2)], own) for _ in range(2)]
    assert [[array[0, 0] for array in pair] for pair in results] == [[1, 3], [3, 5]]


def test_an_update_of_another_shape_is_refused():
    v = tf.Variable(np.ones(3, np.float32), shape=tf.TensorShape(None))
    made, own = program([v.assign_add(tf.ones([3]))]), run()
    with pytest.raises(tf.errors.FailedPreconditionError, match="value"):
        HostProgram(made).run([], own)
    own.state.write(v.handle, np.ones(4, np.float32))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"float32\[4\]"):
        HostProgram(made).run([], own)


def test_an_error_on_a_thread_is_that_of_the_whole_array(monkeypatch):
    monkeypatch.setattr(parts, "blas_threads", lambda: 2)

    def fails_at_the_end(x, *, out=None):
        if x[-1] == 1:
            raise tf.errors.InvalidArgumentError(None, None, f"{len(x)} elements")
        return np.negative(x, out=out)

    function, x = by_rows(fails_at_the_end, np.dtype(np.float32)), np.zeros(1 << 20)
    np.testing.assert_array_equal(function(x), x)
    x[-1] = 1
    with pytest.raises(tf.errors.InvalidArgumentError, match="1048576 elements"):
        function(x)
