"""tf.function: when it is traced, what it returns, and what it refuses."""

import collections
import logging

import numpy as np
import pytest

import tpuref as tf

from ..pythons import python

pytestmark = pytest.mark.usefixtures("eager")


def test_an_argument_by_position_or_by_keyword_is_one_trace():
    scaled = tf.function(lambda x, by=2: x * by)
    x = tf.constant([1.0])
    found = scaled(x, 3), scaled(x, by=3), scaled(x)
    assert [float(y[0]) for y in found] == [3, 3, 2]
    assert scaled.experimental_get_tracing_count() == 2


def test_the_results_are_tensors_in_the_structure_returned():
    @tf.function
    def several(x):
        return {"a": (x, 1), "b": [None, np.float32(2.0)]}

    found = several(tf.constant(3))
    assert int(found["a"][0]) == 3
    assert isinstance(found["a"][1], tf.Tensor)
    assert found["b"][0] is None
    with pytest.raises(TypeError, match=r"must return tensors.*\[TPUREF-E026\]"):
        tf.function(lambda: object())()


def test_a_signature_takes_what_fits_and_is_traced_once():
    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def total(x):
        return tf.reduce_sum(x)

    assert float(total([1.0, 2.0])) + float(total(np.ones(5, np.float32))) == 8.0
    assert total.experimental_get_tracing_count() == 1
    with pytest.raises(ValueError, match=r"expected float32.*\[TPUREF-E232\]"):
        total([[1.0]])
    with pytest.raises(ValueError, match="input_signature, got"):
        total({"a": 1.0})


def test_the_structure_of_a_signature():
    @tf.function(input_signature=[{"a": tf.TensorSpec([], tf.float32)}])
    def same(x):
        return x["a"]

    assert float(same({"a": 2.0})) == 2.0
    for given in ([1.0], {"b": 1.0}, {"a": 1.0, "b": 2.0}):
        with pytest.raises(ValueError, match="different structure"):
            same(given)


def test_unknown_sizes_from_the_second_shape_on():
    shapes = []

    @tf.function(reduce_retracing=True)
    def total(x):
        shapes.append(x.shape.as_list())
        return tf.reduce_sum(x)

    assert [float(total(tf.ones([n]))) for n in (2, 3, 4, 5)] == [2, 3, 4, 5]
    assert shapes == [[2], [None]]


def test_concrete_functions():
    @tf.function
    def dot(x, y):
        return tf.reduce_sum(x * y)

    spec = tf.TensorSpec([None], tf.float32)
    concrete = dot.get_concrete_function(spec, spec)
    assert float(concrete(tf.ones([3]), tf.ones([3]))) == 3.0
    assert [t.shape.as_list() for t in concrete.inputs] == [[None], [None]]
    with pytest.raises(ValueError, match="TPUREF-E232"):
        concrete(tf.ones([3, 1]), tf.ones([3]))


def test_variables_are_made_once_and_keep_their_values():
    class Counter:
        def __init__(self):
            self.count = None

        @tf.function
        def add(self, x):
            if self.count is None:
                self.count = tf.Variable(tf.zeros([]))
            return self.count.assign_add(x)

    first, second = Counter(), Counter()
    assert [float(first.add(2.0)) for _ in range(3)] == [2.0, 4.0, 6.0]
    assert float(second.add(5.0)) == 5.0
    with pytest.raises(ValueError, match=r"creates variables.*\[TPUREF-E231\]"):
        tf.function(lambda: tf.Variable(1.0).read_value())()


def test_python_that_depends_on_a_tensor_is_refused():
    @tf.function
    def magnitude(x):
        if x > 0:
            return x
        return -x

    with pytest.raises(TypeError, match=r"y = tf.cond\(x > 0.*") as raised:
        magnitude(tf.constant(1.0))
    assert "if x > 0:" in str(raised.value)
    assert str(raised.value).endswith("[TPUREF-E230]")


def test_a_loop_over_few_turns_is_traced_turn_by_turn():
    @tf.function
    def doubled(x):
        for _ in tf.range(3):
            x = 2 * x
        return x

    assert int(doubled(tf.constant(5))) == 40


def test_a_loop_of_unknown_length_repeats_effects():
    total = tf.Variable(0)

    @tf.function
    def add_up(n):
        for i in tf.range(n):
            total.assign_add(i)

    add_up(tf.constant(4))
    add_up(tf.constant(5))
    assert int(total) == 6 + 10
    assert add_up.experimental_get_tracing_count() == 1


def test_a_loop_of_many_turns_may_change_variables_if_their_number_is_known():
    total = tf.Variable(0)
    traced = []

    @tf.function
    def summed(n, start):
        found = start
        for i in tf.range(n):
            square = i * i
            found = found + square
        for i in tf.range(n, 0, -1):
            square = 2 * i  # a variable of the loop before
            traced.append(square)
            total.assign_add(square)
        return found

    assert int(summed(40, tf.constant(1))) == 1 + sum(k * k for k in range(40))
    assert int(total) == 40 * 41
    assert len(traced) == 40

    @tf.function
    def counted(n):
        for i in tf.range(n):
            traced.append(i)
            total.assign_add(i)

    traced.clear()
    counted(100)
    assert (int(total), len(traced)) == (40 * 41 + 99 * 50, 2)


def test_a_loop_that_changes_a_python_variable_is_refused():
    @tf.function
    def summed(n):
        found = tf.constant(0)
        for i in tf.range(n):
            found = found + i
        return found

    with pytest.raises(ValueError, match=r"(?s)variables found.*tf.while_loop"):
        summed(tf.constant(4))

    @tf.function
    def left(n):
        for _ in tf.range(n):
            break

    with pytest.raises(ValueError, match="`break`"):
        left(tf.constant(4))


def test_a_loop_over_a_dataset_repeats_effects_for_each_element():
    total, traced = tf.Variable(0), []
    dataset = tf.data.Dataset.from_tensor_slices(np.arange(5, dtype=np.int32)).batch(2)

    @tf.function
    def add_up(pairs):
        for x in dataset:
            traced.append(x.shape.as_list())
            total.assign_add(tf.reduce_sum(x))
        for x, y in pairs:
            total.assign_add(tf.reduce_sum(x) * tf.reduce_sum(y))

    pairs = tf.data.Dataset.zip((dataset, dataset))
    add_up(pairs)
    add_up(pairs)
    assert int(total) == 2 * (10 + 1 + 25 + 16)
    assert traced == [[None]]

    @tf.function
    def add_rest(iterator):
        for x in iterator:
            total.assign_add(tf.reduce_sum(x))

    total.assign(0)
    iterator = iter(dataset)
    next(iterator)
    add_rest(iterator)
    assert int(total) == 9


def test_a_loop_over_a_dataset_that_changes_a_python_variable_is_refused():
    dataset = tf.data.Dataset.range(4)

    @tf.function
    def summed():
        found = tf.constant(0, tf.int64)
        for x in dataset:
            found = found + x
        return found

    with pytest.raises(ValueError, match=r"\[found\] = dataset.reduce\(\[found\], "):
        summed()

    @tf.function
    def reduced():
        return dataset.reduce((np.int64(0), 0), lambda s, x: (s[0] + x, s[1] + 1))

    assert [int(x) for x in reduced()] == [6, 4]
    (left,) = dataset.reduce([np.int64(7)], lambda s, x: [s[0] - x])
    assert int(left) == 1


def test_iterators_are_arguments():
    @tf.function
    def following(iterator):
        return next(iterator) + next(iterator)

    first, second = (iter(tf.data.Dataset.range(k, k + 5)) for k in (0, 10))
    assert [int(following(it)) for it in (first, second, first)] == [1, 21, 5]
    assert following.experimental_get_tracing_count() == 1
    with pytest.raises(tf.errors.OutOfRangeError):
        following(first)


def test_gradients_within_and_around():
    w = tf.Variable(3.0)

    @tf.function
    def squared(x):
        return x * x * w

    @tf.function
    def slope(x):
        with tf.GradientTape() as tape:
            y = squared(x)
        return tape.gradient(y, w)

    assert float(slope(tf.constant(2.0))) == 4.0
    with tf.GradientTape() as tape:
        y = squared(tf.constant(4.0))
    assert float(tape.gradient(y, w)) == 16.0


def test_many_traces_in_a_row_are_told(caplog):
    doubled = tf.function(lambda x: 2 * x)
    with caplog.at_level(logging.WARNING):
        for number in range(5):
            doubled(number)
    assert "TPUREF-W033" in caplog.text


def test_functions_can_run_operation_by_operation():
    seen = []
    watched = tf.function(lambda x: seen.append(float(x)))
    tf.config.run_functions_eagerly(True)
    try:
        watched(tf.constant(2.0))
    finally:
        tf.config.run_functions_eagerly(False)
    assert seen == [2.0]


@pytest.mark.parametrize(
    ("before", "eager"),
    [("", "True"), ("tf.disable_v2_behavior()", "False"), ("tf.constant(1)", "False")],
)
def test_names_of_tensorflow_2_begin_eager_mode(before, eager):
    script = (
        f"import tpuref as tf\n{before}\n"
        "tf.config.list_logical_devices('TPU')\nprint(tf.executing_eagerly())"
    )
    assert python("-c", script, check=True).stdout.strip() == eager


def test_a_signature_keeps_the_types_of_nests():
    Pair = collections.namedtuple("Pair", "a b")
    spec = tf.TensorSpec([], tf.float32)
    seen = []

    @tf.function(input_signature=[(spec, Pair(spec, [spec]))])
    def total(x):
        seen.append(x)
        return x[0] + x[1].a + x[1].b[0]

    assert float(total((1.0, Pair(2.0, [3])))) == 6
    assert float(total.get_concrete_function()((4.0, Pair(5.0, [6.0])))) == 15
    (found,) = seen
    assert (type(found), type(found[1]), type(found[1].b)) == (tuple, Pair, list)


def test_a_concrete_function_within_a_function_joins_its_graph():
    @tf.function
    def inner(x):
        return x + 1.0

    @tf.function
    def outer(x):
        traced = inner.get_concrete_function(x)
        assert traced.specs[0].shape == [1]
        return traced(x), tf.tpu.rewrite(traced, [x])[0]

    assert [y.numpy().tolist() for y in outer(tf.constant([1.0]))] == [[2.0], [2.0]]


def test_a_function_is_called_outside_of_a_compilation():
    @tf.function
    def inner(**arguments):
        return arguments["a"] + 1.0

    @tf.function
    def outer(x):
        def computation(x):
            return tf.tpu.outside_compilation(lambda a: inner(a=a), x + 1.0)

        return tf.tpu.rewrite(computation, [x])

    assert outer(tf.constant([1.0]))[0].numpy().tolist() == [3.0]
