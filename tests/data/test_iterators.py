"""Iterators: where they stand, how they start and end, in both modes."""

import gc

import pytest

import tpuref as tf

from .elements import lists

Dataset = tf.data.Dataset


def test_the_end_names_the_operation_and_the_line(session):
    value = Dataset.range(2).make_one_shot_iterator().get_next(name="following")
    assert [session.run(value) for _ in range(2)] == [0, 1]
    for _ in range(2):
        with pytest.raises(tf.errors.OutOfRangeError, match="all of its 2") as caught:
            session.run(value)
    assert caught.value.op.name == "following"
    assert "get_next(name=" in str(caught.value)


def test_tensors_of_one_call_belong_together(session):
    dataset = Dataset.from_tensor_slices(([1, 2, 3], [4, 5, 6]))
    a, b = dataset.make_one_shot_iterator().get_next()
    assert a.op is b.op and a.op.type == "IteratorGetNext"
    assert session.run([a, b, a + b]) == [1, 4, 5]
    assert session.run(a) == 2 and session.run(b) == 6


def test_each_get_next_takes_an_element(session):
    iterator = Dataset.range(9).make_one_shot_iterator()
    values = [iterator.get_next() for _ in range(3)]
    assert sorted(session.run(values)) == [0, 1, 2]
    assert session.run(values[2]) == 3


def test_what_is_known_of_elements():
    dataset = Dataset.from_tensor_slices({"a": [[1, 2]], "b": ["x"]})
    for known in (dataset, dataset.make_one_shot_iterator()):
        assert known.output_types == {"a": tf.int32, "b": tf.string}
        shapes = {"a": tf.TensorShape([2]), "b": tf.TensorShape([])}
        assert known.output_shapes == shapes
        assert known.output_classes == {"a": tf.Tensor, "b": tf.Tensor}
    assert repr(dataset) == (
        "<TensorSliceDataset shapes: {a: (2,), b: ()}, types: {a: int32, b: string}>"
    )


def test_before_and_after_the_initializer(session):
    rows = tf.placeholder(tf.int32, [None])
    iterator = Dataset.from_tensor_slices(rows).make_initializable_iterator()
    value = iterator.get_next()
    with pytest.raises(tf.errors.FailedPreconditionError, match="run its init"):
        session.run(value)
    session.run(iterator.initializer, {rows: [1, 2]})
    assert session.run(value) == 1
    session.run(iterator.initializer, {rows: [7]})
    assert session.run(value) == 7
    with pytest.raises(tf.errors.OutOfRangeError):
        session.run(value)
    session.run(iterator.initializer, {rows: [8]})
    assert session.run(value) == 8


def test_sessions_stand_at_places_of_their_own():
    value = Dataset.range(3).make_one_shot_iterator().get_next()
    with tf.Session() as first, tf.Session() as second:
        assert [first.run(value), first.run(value), second.run(value)] == [0, 1, 0]


def test_one_shot_iterators_depend_on_nothing(session):
    with pytest.raises(ValueError, match="does not|starts by itself"):
        _ = Dataset.range(2).make_one_shot_iterator().initializer
    rows = tf.placeholder(tf.int32, [None], name="rows")
    with pytest.raises(ValueError, match=r"depends on \['rows'\]"):
        Dataset.from_tensor_slices(rows).make_one_shot_iterator()
    variable = tf.Variable(1, name="factor")
    scaled = Dataset.from_tensors(2).map(lambda x: x * variable.read_value())
    with pytest.raises(ValueError, match=r"depends on \['factor'\]"):
        scaled.make_one_shot_iterator()
    computed = Dataset.from_tensors(tf.fill([300], 2) + 1)
    assert session.run(computed.make_one_shot_iterator().get_next()).sum() == 900


def test_one_iterator_for_several_datasets(session):
    iterator = tf.data.Iterator.from_structure(tf.int64, tf.TensorShape([]))
    value = iterator.get_next()
    session.run(iterator.make_initializer(Dataset.range(2)))
    assert session.run(value) == 0
    session.run(iterator.make_initializer(Dataset.range(100, 200)))
    assert session.run(value) == 100
    with pytest.raises(ValueError, match="make_initializer"):
        _ = iterator.initializer
    for other in (1.0, tf.zeros([2], tf.int64)):
        with pytest.raises(TypeError, match="create the iterator from"):
            iterator.make_initializer(Dataset.from_tensors(other))
    with pytest.raises((TypeError, ValueError), match="iterator"):
        iterator.make_initializer(Dataset.zip((Dataset.range(2), Dataset.range(2))))


def test_eager_iteration(eager):
    dataset = Dataset.range(3).map(lambda x: {"x": x, "y": x + 1}).prefetch(1)
    assert [(int(e["x"]), int(e["y"])) for e in dataset] == [(0, 1), (1, 2), (2, 3)]
    iterator = dataset.make_one_shot_iterator()
    assert int(iterator.get_next()["x"]) == 0 and int(iterator.next()["x"]) == 1
    assert [int(e["x"]) for e in iterator] == [2]
    with pytest.raises(tf.errors.OutOfRangeError):
        iterator.get_next()
    with pytest.raises(RuntimeError, match="not available in eager mode"):
        dataset.make_initializable_iterator()


def test_eager_epochs_are_shuffled_anew(eager):
    dataset = Dataset.range(30).shuffle(30, seed=1)
    first, second = [[int(x) for x in dataset] for _ in range(2)]
    assert first != second and sorted(first) == sorted(second)


def test_eager_functions_use_values_and_variables_from_around(eager):
    around, variable = tf.constant([1, 2]), tf.Variable(10)
    dataset = Dataset.from_tensors(5).map(lambda x: x * around + variable)
    assert next(iter(dataset)).numpy().tolist() == [15, 20]


def test_iteration_in_graph_mode():
    with pytest.raises(RuntimeError, match="only in eager mode"):
        iter(Dataset.range(2))
    assert list(Dataset.range(2).as_numpy_iterator()) == [0, 1]
    with pytest.raises(RuntimeError, match="initializable iterator"):
        Dataset.from_tensors(tf.placeholder(tf.int32)).as_numpy_iterator()


@pytest.mark.parametrize("size", [0, 1, 3, -1, None])
def test_prefetch_changes_nothing(size):
    assert lists(Dataset.range(5).prefetch(size).repeat(2)) == [0, 1, 2, 3, 4] * 2


def test_prefetch_size():
    with pytest.raises(tf.errors.InvalidArgumentError, match="0 or more"):
        lists(Dataset.range(5).prefetch(-2))


def test_prefetch_works_ahead_but_not_further(session):
    made = []

    def note(x):
        made.append(int(x))
        return x

    def noted(x):
        return tf.py_func(note, [x], tf.int64)

    value = Dataset.range(50).map(noted).prefetch(2).make_one_shot_iterator().get_next()
    for k in range(5):
        assert session.run(value) == k
        assert len(made) <= k + 4  # two wait, one is being made


def forgotten(session):
    del session
    gc.collect()


@pytest.mark.parametrize("end", [tf.Session.close, forgotten])
def test_the_thread_ends_with_the_session(end):
    variable = tf.Variable(1, dtype=tf.int64)
    endless = Dataset.range(3).repeat().map(lambda x: x + variable.read_value())
    iterator = endless.prefetch(2).make_initializable_iterator()
    value = iterator.get_next()
    sessions = [tf.Session()]
    sessions[0].run(variable.initializer)
    sessions[0].run(iterator.initializer)
    assert sessions[0].run(value) == 1
    end(sessions.pop())  # the threads_end fixture looks after the threads


def test_the_thread_ends_with_a_new_pass(session):
    iterator = Dataset.range(3).repeat().prefetch(2).make_initializable_iterator()
    value = iterator.get_next()
    for _ in range(3):
        session.run(iterator.initializer)
        assert session.run(value) == 0
