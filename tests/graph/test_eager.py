"""Eager mode: operations run at once, and their tensors are values."""

import threading

import ml_dtypes
import numpy as np
import pytest

import tpuref as tf

from ..messages import line, refused
from ..pythons import python

IMPORT = "import tpuref as tf\n"


def test_graph_mode_is_the_default_and_the_scope_ends():
    assert not tf.executing_eagerly()
    with tf.eager_execution():
        assert tf.executing_eagerly()
        with tf.Graph().as_default() as graph:
            assert not tf.executing_eagerly()
            assert isinstance(tf.constant(1), tf.Tensor)
            assert len(graph.get_operations()) == 1
        assert tf.executing_eagerly()
    assert not tf.executing_eagerly()
    with pytest.raises(ZeroDivisionError), tf.eager_execution():
        raise ZeroDivisionError
    assert not tf.executing_eagerly()


def test_the_mode_belongs_to_its_thread():
    found: list[bool] = []
    with tf.eager_execution():
        thread = threading.Thread(target=lambda: found.append(tf.executing_eagerly()))
        thread.start()
        thread.join(10)
    assert found == [False]


def test_enabling_is_for_the_whole_program():
    done = python(
        "-c",
        f"{IMPORT}"
        "import threading\n"
        "tf.enable_eager_execution()\n"
        "tf.enable_eager_execution()\n"
        "print(int(tf.constant(1) + 2), tf.executing_eagerly())\n"
        "t = threading.Thread(target=lambda: print(tf.executing_eagerly()))\n"
        "t.start(); t.join()\n"
        "with tf.Graph().as_default(): print(tf.executing_eagerly())\n",
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["3", "True", "True", "False"]
    done = python("-c", f"{IMPORT}tf.constant(1)\ntf.enable_eager_execution()\n")
    assert "ValueError" in done.stderr and "at program start" in done.stderr


def test_eager_tensors_behave_as_their_values(eager):
    n, x = tf.constant(3), tf.constant([[1.0, 2.0], [3.0, 4.0]])
    assert int(n) == 3 and float(n) == 3.0
    assert list(range(n)) == [0, 1, 2]
    assert ["a", "b", "c", "d"][n] == "d"
    assert bool(n) and not bool(tf.constant(False))
    assert (n > 2) and not (n < 2)
    assert len(x) == 2
    assert [row.numpy().tolist() for row in x] == [[1.0, 2.0], [3.0, 4.0]]
    assert np.asarray(x).tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert np.asarray(x, np.int64).dtype == np.int64
    assert x[1, 0].numpy() == 3.0
    assert repr(n).startswith("<tf.Tensor shape=() dtype=int32 numpy=")
    with pytest.raises(TypeError):
        len(n)
    with pytest.raises(ValueError, match="4 elements and no truth value"):
        bool(x)


def test_numpy_gives_scalars_bytes_and_private_arrays(eager):
    assert type(tf.constant(1.0).numpy()) is np.float32
    assert tf.constant("text").numpy() == b"text"
    assert type(tf.constant(1, tf.bfloat16).numpy()) is ml_dtypes.bfloat16
    x = tf.constant([1, 2])
    x.numpy()[:] = 9
    np.asarray(x)[:] = 9
    assert x.numpy().tolist() == [1, 2]


def test_a_failing_operation_is_named_with_its_line(eager):
    x = tf.constant([1, 2]), tf.constant([1, 0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="(?i)zero") as caught:
        x[0] // x[1]
    assert f"{__file__}:{line() - 1}" in str(caught.value)
    assert caught.value.op == "floordiv"


def test_a_symbolic_tensor_has_no_value_in_eager_mode():
    x, v = tf.constant(1.0), tf.Variable(1.0)
    with pytest.raises(AttributeError, match="in eager mode only"):
        v.numpy()
    with tf.eager_execution(), pytest.raises(TypeError, match="tensor Const:0"):
        tf.sqrt(x)


def test_a_graph_captures_an_eager_tensor_as_a_constant():
    with tf.eager_execution():
        x, n = tf.constant([1.0, 2.0]), tf.constant(3)
    y = x + 1.0
    assert y.op.type == "AddV2"
    assert y.shape.as_list() == [2]
    assert tf.Session().run(tf.stack([x, y])).tolist() == [[1.0, 2.0], [2.0, 3.0]]
    assert tf.zeros([n, 2]).shape.as_list() == [3, 2]


def test_an_eager_tensor_is_itself_no_part_of_a_graph():
    with tf.eager_execution():
        x = tf.constant(3)
    with pytest.raises(TypeError, match="cannot fetch.*EagerTensor"):
        tf.Session().run(x)
    with pytest.raises(TypeError, match=r"as a key of feed_dict.*value already"):
        tf.Session().run([], {x: 4})
    with pytest.raises(TypeError, match="value already"), tf.control_dependencies([x]):
        pass
    assert tf.Session().run(tf.identity(x)) == 3


def test_variables_have_their_value_at_once(eager):
    v, w = tf.Variable([1.0, 2.0], name="v"), tf.Variable(7.0, name="v")
    assert (v.name, v.dtype, v.shape.as_list()) == ("v:0", tf.float32, [2])
    before = v.read_value()
    assert v.assign_add([1.0, 1.0]).numpy().tolist() == [2.0, 3.0]
    assert before.numpy().tolist() == [1.0, 2.0]
    v.assign_sub([1.0, 1.0])
    assert (v * 2.0).numpy().tolist() == [2.0, 4.0]
    v.assign(v[::-1])
    assert np.asarray(v).tolist() == [2.0, 1.0]
    assert [float(x) for x in v] == [2.0, 1.0]
    assert bool(v.is_initialized())
    assert bool(tf.Variable(True)) and int(tf.Variable(7)) == float(w) == 7


def test_initializers_are_not_needed_in_eager_mode(eager):
    v = tf.Variable(lambda: tf.ones([2]))
    assert tf.global_variables_initializer() is None
    assert v.numpy().tolist() == [1.0, 1.0]
    for name in ("initializer", "initial_value", "op"):
        with pytest.raises(AttributeError, match="'v?.*made in eager mode"):
            getattr(v, name)


def test_errors_of_variables_in_eager_mode(eager):
    v = tf.Variable([1.0])
    refused(ValueError, ["shapes differ"], v.assign, [1.0, 2.0])
    refused(TypeError, ["tf.cast"], v.assign, tf.constant([1]))
    refused(ValueError, ["initial_value"], tf.Variable)


def test_a_seeded_program_repeats_in_eager_mode():
    code = IMPORT + (
        "tf.enable_eager_execution()\n"
        "tf.set_random_seed(4)\n"
        "x, y = tf.random_uniform([4]), tf.random_uniform([4])\n"
        "assert x.numpy().tolist() != y.numpy().tolist()\n"
        "print(x.numpy().tolist(), tf.random_normal([3], seed=2).numpy().tolist())\n"
    )
    first, second = python("-c", code), python("-c", code)
    assert first.returncode == 0, first.stderr
    assert first.stdout == second.stdout != ""
