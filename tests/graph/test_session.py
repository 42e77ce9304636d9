"""Sessions: what can be fetched and fed, and in which form the values come back."""

import collections

import ml_dtypes
import numpy as np
import pytest

import tpuref as tf

from ..functions.values import Pair
from ..messages import line, refused

# Fetches.


def test_values_come_back_in_the_structure_of_the_fetches():
    x, y = tf.constant(1, name="x"), tf.constant([2.0, 3.0])
    fetches = {
        "list": [x, (y, x)],
        "pair": Pair(x, [y]),
        "operation": tf.no_op(),
        "nested": {"b": x, "a": y},
        "ordered": collections.OrderedDict([("z", x), ("a", x)]),
        "empty": [[], (), {}],
    }
    found = tf.Session().run(fetches)
    assert list(found) == list(fetches)
    assert found["list"][0] == 1
    assert isinstance(found["list"][1], tuple)
    assert found["list"][1][0].tolist() == [2.0, 3.0]
    assert isinstance(found["pair"], Pair)
    assert found["pair"].left == 1 and found["pair"].right[0].tolist() == [2.0, 3.0]
    assert found["operation"] is None
    assert list(found["nested"]) == ["b", "a"]
    assert found["nested"]["b"] == 1
    assert type(found["ordered"]) is collections.OrderedDict
    assert list(found["ordered"].items()) == [("z", 1), ("a", 1)]
    assert found["empty"] == [[], (), {}]


def test_names_and_variables_are_fetched(session):
    tf.constant(5, name="five")
    v = tf.Variable([1.0], name="v")
    assert session.run("v/Assign") is None
    assert session.run("five:0") == 5
    assert session.run("five") is None
    assert session.run(v).tolist() == [1.0]
    assert session.run([v, "v:0", v.op]) == [[1.0], [1.0], None]


def test_a_step_with_variables_is_prepared_once(monkeypatch, evaluate):
    v = tf.Variable(1.0)
    fetches = {"v": v, "sum": [v + 1]}
    assert evaluate(fetches) == {"v": 1.0, "sum": [2.0]}
    monkeypatch.delattr(tf.Session, "_prepare")
    assert evaluate(dict(fetches)) == {"v": 1.0, "sum": [2.0]}


def test_fetched_arrays_are_private_copies_of_constants_variables_and_feeds(session):
    v, constant = tf.Variable([1.0, 2.0]), tf.constant([1, 2])
    x = tf.placeholder(tf.float64, [2])
    fed = np.array([3.0, 4.0])
    first, second = session.run([constant, constant])
    first += 1
    assert second.tolist() == session.run(constant).tolist() == [1, 2]
    session.run(v.initializer)
    for fetch in (v, v.read_value(), v.assign(v), tf.identity(v)):
        session.run(fetch)[:] = 99.0
        assert session.run(v).tolist() == [1.0, 2.0]
    session.run(x, {x: fed})[:] = 99.0
    session.run(tf.identity(x), {x: fed})[:] = 99.0
    assert fed.tolist() == [3.0, 4.0]
    keep = session.run(tf.assign(v, tf.cast(x, tf.float32)), {x: fed})
    fed[:] = 0.0
    assert keep.tolist() == session.run(v).tolist() == [3.0, 4.0]


def test_what_was_fed_does_not_change_what_was_kept(session):
    x = tf.placeholder(tf.float32, [2])
    v, w = tf.Variable([0.0, 0.0]), tf.Variable([0.0, 0.0])
    fed = np.array([1.0, 2.0], np.float32)
    session.run(v.assign(x), {x: fed})
    session.run(w.assign(tf.reshape(tf.reshape(x, [1, 2]), [2])), {x: fed})
    parts = session.run([x, x[:1], tf.reshape(x, [2, 1]), tf.identity(x)], {x: fed})
    fed[:] = 9.0
    assert [part.reshape(-1)[0] for part in parts] == [1.0] * 4
    assert [value.tolist() for value in session.run([v, w])] == [[1.0, 2.0]] * 2
    assert fed.flags.writeable


def test_text_that_is_fed_becomes_bytes():
    x = tf.placeholder(tf.string)
    for value in (["a", b"b"], np.array(["a", "b"]), np.array(["a", b"b"], object)):
        assert tf.Session().run(tf.identity(x), {x: value}).tolist() == [b"a", b"b"]
    with pytest.raises(TypeError, match="cannot feed"):
        tf.Session().run(x, {x: np.array([1, None], object)})


@pytest.mark.parametrize(
    ("value", "expected", "kind"),
    [
        (1, 1, np.int32),
        (2**40, 2**40, np.int64),
        (1.5, 1.5, np.float32),
        (True, True, np.bool_),
        (np.float64(1.5), 1.5, np.float64),
        (ml_dtypes.bfloat16(1.5), 1.5, ml_dtypes.bfloat16),
        (1j, 1j, np.complex128),
        ("text", b"text", bytes),
    ],
)
def test_rank_zero_comes_as_a_numpy_scalar(value, expected, kind):
    found = tf.Session().run(tf.constant(value))
    assert type(found) is kind
    assert found == expected


def test_other_ranks_come_as_arrays_of_the_dtype():
    x = tf.constant([1.0, 2.0], tf.bfloat16)
    found, words = tf.Session().run([x, tf.constant(["a", "b"])])
    assert found.dtype == ml_dtypes.bfloat16
    assert words.dtype == object
    assert words.tolist() == [b"a", b"b"]


@pytest.mark.parametrize("wrong", [None, 3, 2.5, object(), {1, 2}, [1], [None]])
def test_things_that_cannot_be_fetched(wrong):
    with pytest.raises(TypeError, match=r"Session.run: cannot fetch"):
        tf.Session().run(wrong)


def test_names_and_tensors_that_are_not_in_the_graph():
    x = tf.constant(1, name="x")
    for name in ("nothing", "nothing:0", "x:1", "x:y", ":0"):
        with pytest.raises(ValueError, match=f"cannot fetch '{name}'"):
            tf.Session().run(name)
    with pytest.raises(ValueError, match="another graph"):
        tf.Session(graph=tf.Graph()).run(x)


def test_only_what_is_asked_for_runs():
    calls: list[int] = []
    idle = tf.py_func(lambda: calls.append(1) or 0, [], tf.int32)
    tf.Session().run(tf.constant(1) + 1)
    assert calls == []
    tf.Session().run([idle, idle, idle + 1])
    assert calls == [1]


# Feeds.


def test_placeholders_take_what_is_fed(session):
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    y = tf.placeholder(tf.int32)
    assert session.run(x * 2.0, {x: [[1, 2]]}).tolist() == [[2.0, 4.0]]
    assert session.run(x, {"x:0": np.zeros([0, 2])}).shape == (0, 2)
    assert session.run(y, {y: [[1], [2]]}).tolist() == [[1], [2]]
    assert session.run(y, {y: 7}) == 7
    assert type(session.run(x, {x: np.float64([[1, 2]])})[0, 0]) is np.float32
    masked = np.ma.masked_array(np.ones([1, 2], np.float32), [[True, False]])
    assert type(session.run(x * 2.0, {x: masked})) is np.ndarray


def test_a_tuple_of_tensors_takes_a_tuple_of_values(session):
    x, y = tf.placeholder(tf.int32), tf.placeholder(tf.int32)
    assert session.run(x - y, {(x, y): (5, 3)}) == 2
    assert session.run(x - y, {Pair(x, y): Pair(5, 3)}) == 2
    with pytest.raises(ValueError, match="tuple of 2 tensors"):
        session.run(x - y, {(x, y): (5,)})


def test_intermediate_tensors_can_be_fed(session):
    x = tf.placeholder(tf.float32, [], name="x")
    y = x * 2.0
    z = y + 1.0
    low, high = tf.split(tf.constant([1, 2, 3, 4]), 2)
    assert session.run(z, {y: 10.0}) == 11.0  # x is not needed then
    assert session.run([x, y, z], {x: 1.0, y: 10.0}) == [1.0, 10.0, 11.0]
    fed = session.run([low, high], {high: [7, 8]})
    assert [value.tolist() for value in fed] == [[1, 2], [7, 8]]


def test_a_feed_reaches_into_branches_and_loops(session):
    x = tf.placeholder(tf.int32, [])
    chosen = tf.cond(x > 0, lambda: x * 2, lambda: -x)
    total = tf.while_loop(lambda i: i < 3, lambda i: i + x, [tf.constant(0)])
    assert session.run([chosen, total], {x: 2}) == [4, 4]


def test_a_placeholder_that_is_not_fed_is_named_with_its_place():
    x, made = tf.placeholder(tf.float32, [2], name="x"), line()
    words = ["has to be fed", f"{__file__}:{made}"]
    error = refused(tf.errors.InvalidArgumentError, words, tf.Session().run, x + 1.0)
    assert error.op is x.op
    assert error.site.line == made


@pytest.mark.parametrize("value", [[1.0, 2.0], 1.0, [[1.0, 2.0]], [[[1.0, 2.0, 3.0]]]])
def test_feeding_a_wrong_shape_shows_both(value):
    x, made = tf.placeholder(tf.float32, [None, 3], name="x"), line()
    words = ["shape [", "x:0 float32[?,3]", f"{__file__}:{made}"]
    refused(ValueError, words, tf.Session().run, x, {x: value})


@pytest.mark.parametrize(
    ("dtype", "value", "error"),
    [
        (tf.int32, [1.5], TypeError),
        (tf.int32, "text", TypeError),
        (tf.float32, "text", TypeError),
        (tf.string, 1, TypeError),
        (tf.float32, 1j, TypeError),
        (tf.bool, 1, TypeError),
        (tf.int32, [[1, 2], [3]], ValueError),
        (tf.int32, None, ValueError),
        (tf.int32, 2**40, ValueError),
    ],
)
def test_feeding_a_wrong_kind(dtype, value, error):
    x = tf.placeholder(dtype, name="x")
    with pytest.raises(error, match=r"cannot feed x:0"):
        tf.Session().run(x, {x: value})


def test_tensors_and_variables_are_no_values_to_feed():
    x = tf.placeholder(tf.float32, [])
    for value in (tf.constant(1.0), tf.Variable(1.0)):
        with pytest.raises(TypeError, match="feed NumPy arrays, numbers or lists"):
            tf.Session().run(x, {x: value})


def test_keys_that_are_no_tensors_of_the_graph():
    x = tf.constant(1)
    with tf.Graph().as_default():
        foreign = tf.placeholder(tf.float32)
    for key in (foreign, "nothing:0", "Const", tf.no_op(), 3, None):
        with pytest.raises(TypeError, match="as a key of feed_dict"):
            tf.Session().run(x, {key: 1.0})
    with pytest.raises(TypeError, match="feed_dict must be a dict"):
        tf.Session().run(x, [1])


# Second calls.


def test_a_structure_that_has_changed_gives_what_it_is_now(session):
    x, y = tf.constant(1), tf.constant(2)
    fetches = {"a": [x], "b": (y, "Const:0")}
    for _ in range(2):
        assert session.run(fetches) == {"a": [1], "b": (2, 1)}
    fetches["a"].append(y)
    assert session.run(fetches) == {"a": [1, 2], "b": (2, 1)}
    fetches["b"] = fetches.pop("a")
    assert session.run(fetches) == {"b": [1, 2]}
    assert session.run([fetches, Pair(x, y)]) == [{"b": [1, 2]}, Pair(1, 2)]
    assert type(session.run([[], Pair(x, y)])[1]) is Pair
    assert type(session.run([[], (x, y)])[1]) is tuple
    for key in (1, True):  # equal, but not the same
        assert [type(k) for k in session.run({key: x})] == [type(key)]
    assert session.run([x, x + y]) == [1, 3]  # built after a run


def test_feeds_of_other_shapes_dtypes_and_orders(session):
    x = tf.placeholder(tf.float32, [None])
    y = tf.placeholder(tf.float32, [])
    z = x * y
    assert session.run(z, {x: np.ones(2, np.float32), y: 2}).tolist() == [2, 2]
    assert session.run(z, {y: 3, x: np.ones(3, np.float64)}).tolist() == [3] * 3
    assert session.run(z, {x: [1], y: np.float32(4)}).tolist() == [4]
    assert session.run(z, {(x, y): ([1, 2], 5)}).tolist() == [5, 10]
    assert session.run(z, {z: [7], x: [1]}).tolist() == [7]
    for _ in range(2):
        with pytest.raises(ValueError, match="cannot feed a value of shape"):
            session.run(z, {x: np.ones([1, 2], np.float32), y: 1})
    x.set_shape([2])
    assert session.run(z, {x: [1, 2], y: 1}).tolist() == [1, 2]
    with pytest.raises(ValueError, match=r"of shape \[1\]"):
        session.run(z, {x: [1], y: np.float32(4)})


def test_one_tensor_under_two_keys_takes_the_last_value(session):
    x = tf.placeholder(tf.float32, [], name="x")
    for _ in range(2):
        assert session.run(x, {x: 1.0, "x:0": 2.0}) == 2.0
        assert session.run(x, {"x:0": 1.0, x: 2.0}) == 2.0


def test_the_second_run_follows_the_settings():
    x = tf.placeholder(tf.float32, [2])
    fetches = tf.tpu.replicate(lambda x: tf.tpu.cross_replica_sum(x), [[x], [x]])
    metadata = tf.RunMetadata()
    full = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    with tf.config.override(executor="lockstep", cores=2), tf.Session() as session:

        def values(**given):
            found = session.run(fetches, {x: [1, 2]}, **given)
            return [[array.tolist() for array in own] for own in found]

        expected = [[[2, 4]], [[2, 4]]]
        assert values() == expected
        assert values(options=full, run_metadata=metadata) == expected
        assert {record.replica for record in metadata.core_trace} == {0, 1}
        session.run(tf.tpu.initialize_system())
        assert values() == expected
        session.run(tf.tpu.shutdown_system())
        with pytest.raises(tf.errors.FailedPreconditionError, match="shut down"):
            values()
        with tf.config.override(cores=4):
            session.run(tf.tpu.initialize_system())
            with pytest.raises(tf.errors.InvalidArgumentError, match="4 cores"):
                values()


# Functions of a step.


def test_a_callable_takes_its_feeds_in_order_and_keeps_the_structure(session):
    x, y = tf.placeholder(tf.float32, [None]), tf.placeholder(tf.float32, [])
    count = tf.Variable(0)
    fetches = {"sum": x + y, "op": tf.assign_add(count, 1).op}
    session.run(tf.global_variables_initializer())
    step = session.make_callable(fetches, feed_list=[y, x])
    for size in (1, 3):
        found = step(2.0, np.arange(size))
        assert found["op"] is None
        assert found["sum"].tolist() == [2.0, 3.0, 4.0][:size]
    assert session.run(count) == 2
    assert session.make_callable(x + y, [(x, y)])(([1, 2], 3)).tolist() == [4, 5]
    assert session.make_callable(count)() == 2


def test_what_a_callable_refuses():
    x = tf.placeholder(tf.float32, [2])
    with tf.Session() as session:
        step = session.make_callable(x, [x])
        for call, error, message in (
            (lambda: session.make_callable(x, x), TypeError, "must be a list or tuple"),
            (lambda: session.make_callable(x, [3]), TypeError, "cannot use 3 as a key"),
            (lambda: session.make_callable(3), TypeError, "cannot fetch 3"),
            (lambda: step(1, 2), TypeError, r"take 1 values \(feed_list\), got 2"),
            (lambda: step([1]), ValueError, "cannot feed a value of shape"),
        ):
            with pytest.raises(error, match=message):
                call()
    for call in (lambda: step([1, 2]), lambda: session.make_callable(x)):
        with pytest.raises(RuntimeError, match="session is closed"):
            call()


# The life of a session.


def test_a_closed_session_runs_nothing():
    x = tf.constant(1)
    with tf.Session() as session:
        assert session.run(x) == 1
    other = tf.Session()
    other.close()
    for closed in (session, other):
        with pytest.raises(RuntimeError, match="closed"):
            closed.run(x)
    other.close()


def test_with_makes_session_and_graph_current():
    graph = tf.Graph()
    with tf.Session(graph=graph) as session:
        assert tf.get_default_session() is session
        assert tf.get_default_graph() is session.graph is graph
        x = tf.constant(1)
        with tf.Session() as inner:
            assert tf.get_default_session() is inner
        assert tf.get_default_session() is session
        v = tf.Variable(2)
        v.initializer.run()
        assert x.eval() == 1 and v.eval() == 2
    assert tf.get_default_session() is None
    assert tf.get_default_graph() is not graph


def test_as_default_neither_closes_nor_changes_the_graph():
    graph = tf.Graph()
    session = tf.Session(graph=graph)
    with session.as_default() as entered:
        assert entered is session
        assert tf.get_default_session() is session
        assert tf.get_default_graph() is not graph
        with session.as_default():
            pass
    assert tf.get_default_session() is None
    with graph.as_default():
        x = tf.constant(1)
    assert session.run(x) == 1


def test_a_session_cannot_be_entered_twice_at_once():
    session = tf.Session()
    with session, pytest.raises(RuntimeError, match="current one"), session:
        pass
    assert tf.get_default_session() is None


def test_arguments_of_a_session():
    with pytest.raises(ValueError, match="target must be"):
        tf.Session("nowhere")
    with pytest.raises(TypeError, match=r"must be a tf.Graph"):
        tf.Session(graph="g")
    assert tf.Session("local").sess_str == "local"
    config = tf.ConfigProto(allow_soft_placement=True, log_device_placement=False)
    assert tf.Session(config=config).run(tf.constant(1)) == 1


def test_the_devices_of_a_session():
    with tf.config.override(cores=2):
        devices = tf.Session().list_devices()
    names = [f"/job:localhost/replica:0/task:0/device:{d}:0" for d in ("CPU", "TPU")]
    names.append(names[1][:-1] + "1")
    assert [d.name for d in devices] == names
    assert [d.device_type for d in devices] == ["CPU", "TPU", "TPU"]
    for device in devices:
        assert 0 < device.memory_limit_bytes <= devices[0].memory_limit_bytes
    assert str(devices[1]).startswith(f"_DeviceAttributes({names[1]}, TPU, ")
    assert len({d.incarnation for d in devices}) == 1


def test_cores_that_start_again_are_new_ones(session):
    session.run(tf.tpu.initialize_system())
    before = session.list_devices()[-1]
    session.run(tf.tpu.initialize_system())
    after = session.list_devices()[-1]
    assert before.name == after.name and before.incarnation != after.incarnation
