"""tf.tpu.replicate: inputs, computations, returns, and every documented error."""

from __future__ import annotations

import collections
import functools
from typing import Any

import numpy as np
import pytest

import tpuref as tf

Pair = collections.namedtuple("Pair", ["first", "second"])


def operation_names() -> list[str]:
    return [op.name for op in tf.get_default_graph().get_operations()]


# -- the documents' examples ---------------------------------------------------


def mean_of_one_more(x: Any) -> Any:
    x = x + 1
    return tf.math.reduce_mean(x)


def test_the_basic_example(evaluate: Any) -> None:
    x = tf.convert_to_tensor([1.0, 2.0, 3.0])
    y = tf.convert_to_tensor([4.0, 5.0, 6.0])
    outputs = tf.compat.v1.tpu.replicate(mean_of_one_more, inputs=[[x], [y]])
    assert evaluate(outputs) == [(3.0,), (6.0,)]


def test_the_advanced_example_gives_each_input_its_own_mean(evaluate: Any) -> None:
    x = tf.placeholder(tf.float32, [None, 2])
    y = tf.placeholder(tf.float32, [None, 2])
    outputs = tf.compat.v1.tpu.replicate(
        mean_of_one_more,
        inputs=[x, y],
        maximum_shapes=[tf.TensorShape([None, None])],
        padding_spec=tf.compat.v1.tpu.PaddingSpec.POWER_OF_TWO,
    )
    feed = {x: np.ones([3, 2]), y: np.full([5, 2], 3.0)}
    assert evaluate(outputs, feed) == [(2.0,), (4.0,)]


def test_the_names_are_one_function() -> None:
    assert tf.tpu.replicate is tf.tpu.replicate_dyn
    assert tf.tpu.replicate is tf.compat.v1.tpu.replicate
    assert tf.tpu.replicate is tf.contrib.tpu.replicate


def test_the_namespace_lists_the_documented_names() -> None:
    names = dir(tf.tpu)
    assert "replicate" in names and "replicate_dyn" in names
    assert all(getattr(tf.tpu, name) is not None for name in names)
    assert "annotations" not in names


# -- inputs --------------------------------------------------------------------


@pytest.mark.parametrize("inputs", [None, [[]], [()]])
def test_no_inputs_are_one_replica_without_any(inputs: Any, evaluate: Any) -> None:
    assert evaluate(tf.tpu.replicate(lambda: tf.constant(4.0), inputs)) == [(4.0,)]


def test_inputs_are_indexed_by_replica_then_input(evaluate: Any) -> None:
    outputs = tf.tpu.replicate(lambda a, b: 10 * a + b, [[1.0, 2.0], (3.0, 4.0)])
    assert evaluate(outputs) == [(12.0,), (34.0,)]


@pytest.mark.parametrize("replicas", [1, 2, 3, 5, 16])
def test_there_is_one_output_per_replica_in_order(replicas: int, evaluate: Any) -> None:
    outputs = tf.tpu.replicate(lambda x: x * 10, [[r] for r in range(replicas)])
    assert type(outputs) is list
    assert evaluate(outputs) == [(10 * r,) for r in range(replicas)]


def test_the_computation_is_called_once_with_tensors() -> None:
    calls = []

    def computation(*arguments: Any) -> None:
        calls.append(arguments)

    tf.tpu.replicate(computation, [[1.0, 2], [3.0, 4], [5.0, 6]])
    assert len(calls) == 1
    assert [type(argument) for argument in calls[0]] == [tf.Tensor, tf.Tensor]
    assert [argument.dtype for argument in calls[0]] == [tf.float32, tf.int32]


def test_nests_keep_their_containers(evaluate: Any) -> None:
    seen: list[Any] = []

    def computation(d: Any, p: Any) -> Any:
        seen.extend([d, p])
        return d["a"] + d["b"][1][0] * 100 + p.second

    own = [{"b": (2.0, [3.0]), "a": 1.0}, Pair(5.0, 7.0)]
    other = [{"b": (0.0, [30.0]), "a": 10.0}, Pair(50.0, 70.0)]
    assert evaluate(tf.tpu.replicate(computation, [own, other])) == [(308,), (3080,)]
    assert type(seen[0]) is dict and list(seen[0]) == ["b", "a"]
    assert type(seen[0]["b"]) is tuple and type(seen[0]["b"][1]) is list
    assert type(seen[1]) is Pair


def test_nested_numbers_arrive_as_scalars() -> None:
    seen: list[Any] = []
    tf.tpu.replicate(seen.append, [[[[1, 2], [3, 4]]]])
    assert [[item.shape.as_list() for item in row] for row in seen[0]] == [[[], []]] * 2
    assert all(item.dtype == tf.int32 for row in seen[0] for item in row)


def test_a_converted_list_arrives_as_one_tensor() -> None:
    seen: list[Any] = []
    tf.tpu.replicate(seen.append, [[tf.convert_to_tensor([[1, 2], [3, 4]])]])
    assert isinstance(seen[0], tf.Tensor) and seen[0].shape.as_list() == [2, 2]


@pytest.mark.parametrize(
    ("value", "dtype", "shape"),
    [
        (1.5, "float32", []),
        (3, "int32", []),
        (True, "bool", []),
        (2**40, "int64", []),
        (np.float64(2.0), "float64", []),
        (np.arange(3), "int64", [3]),
        (np.zeros([2, 3], np.float16), "float16", [2, 3]),
        ("text", "string", []),
        (1j, "complex128", []),
    ],
)
def test_leaves_convert_to_tensors(value: Any, dtype: str, shape: list[int]) -> None:
    seen: list[Any] = []
    tf.tpu.replicate(seen.append, [[value]])
    assert (seen[0].dtype.name, seen[0].shape.as_list()) == (dtype, shape)


def test_variables_are_inputs_too(evaluate: Any) -> None:
    v = tf.Variable([1.0, 2.0])
    assert evaluate(tf.tpu.replicate(lambda x: x * 2, [v, [v + 1]]))[1][0].tolist() == [
        4.0,
        6.0,
    ]


def test_a_bare_tensor_stands_for_a_list_of_one(evaluate: Any) -> None:
    x, y = tf.constant([1.0]), tf.constant([2.0])
    bare = tf.tpu.replicate(lambda v: v * 3, [x, y])
    wrapped = tf.tpu.replicate(lambda v: v * 3, [[x], [y]])
    assert evaluate(bare) == evaluate(wrapped)


@pytest.mark.parametrize(
    "inputs",
    [
        ([1.0],),
        {"a": [1.0]},
        "text",
        5,
        np.ones([1, 1], np.float32),
        iter([[1.0]]),
        (row for row in [[1.0]]),
    ],
)
def test_the_outer_container_has_to_be_a_list(inputs: Any) -> None:
    with pytest.raises(TypeError, match="tf.tpu.replicate: inputs must be a list"):
        tf.tpu.replicate(lambda x: x, inputs)


def test_a_bare_tensor_is_no_outer_list() -> None:
    with pytest.raises(TypeError, match="inputs must be a list"):
        tf.tpu.replicate(lambda x: x, tf.constant([1.0]))


@pytest.mark.parametrize("entry", [1.0, "text", {"a": 1.0}, np.ones(2), None, {1.0}])
def test_a_replica_entry_is_a_list_or_tensor(entry: Any) -> None:
    with pytest.raises(TypeError, match=r"inputs\[1\] must be the list of inputs"):
        tf.tpu.replicate(lambda x: x, [[1.0], entry])


def test_no_replica_at_all_is_an_error() -> None:
    with pytest.raises(ValueError, match="no replica to run"):
        tf.tpu.replicate(lambda: None, [])


@pytest.mark.parametrize("value", [None, object(), [[1.0], [2.0, 3.0]], {1, 2}])
def test_leaves_without_a_tensor_form_are_named(value: Any) -> None:
    leaf = np.array(value, object) if isinstance(value, list) else value
    with pytest.raises((TypeError, ValueError), match=r"inputs\[0\]\[0\]\['a'\]"):
        tf.tpu.replicate(lambda d: d, [[{"a": leaf}]])


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ([[1.0], [1.0, 2.0]], "replica 0 has 1, replica 1 has 2"),
        ([[1.0, 2.0], [1.0]], "replica 0 has 2, replica 1 has 1"),
        ([[], [1.0]], "replica 0 has 0, replica 1 has 1"),
        ([[1.0], []], "replica 0 has 1, replica 1 has 0"),
        ([[1.0], [1.0], [1.0, 2.0]], "replica 0 has 1, replica 2 has 2"),
    ],
)
def test_unequal_numbers_of_inputs(inputs: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"same number of inputs; {message}"):
        tf.tpu.replicate(lambda *x: None, inputs)


@pytest.mark.parametrize(
    ("first", "second", "place"),
    [
        ([1.0, 2.0], [1.0, 2.0, 3.0], r"inputs\[1\]\[0\]"),
        ({"a": 1.0}, {"b": 1.0}, r"inputs\[1\]\[0\]"),
        ({"a": [1.0]}, {"a": (1.0,)}, r"inputs\[1\]\[0\]\['a'\]"),
        (Pair(1.0, 2.0), (1.0, 2.0), r"inputs\[1\]\[0\]"),
        (1.0, [1.0], r"inputs\[1\]\[0\]"),
    ],
)
def test_replicas_need_one_structure(first: Any, second: Any, place: str) -> None:
    with pytest.raises(ValueError, match=f"same structure.*{place}"):
        tf.tpu.replicate(lambda x: None, [[first], [second]])


def test_replicas_need_one_dtype_per_leaf() -> None:
    with pytest.raises(
        ValueError, match=r"dtypes must be the same .*float32.*inputs\[1\].*int32"
    ):
        tf.tpu.replicate(lambda x: None, [[1.0], [2]])
    with pytest.raises(ValueError, match=r"inputs\[2\]\[1\]\['k'\]"):
        tf.tpu.replicate(
            lambda x, y: None, [[0, {"k": 1}], [0, {"k": 1}], [0, {"k": True}]]
        )


def test_shapes_of_replicas_have_to_agree() -> None:
    a, b = tf.zeros([2, 3]), tf.zeros([2, 4])
    with pytest.raises(ValueError, match=r"\[2,3\].*\[2,4\].*maximum_shapes"):
        tf.tpu.replicate(lambda p, x: None, [[1.0, a], [1.0, b]])


def test_outputs_can_be_fed(session: Any) -> None:
    ran: list[int] = []

    def computation(x: Any) -> Any:
        tf.py_func(lambda: ran.append(1), [], [])
        return x

    ((a,), (b,)) = tf.tpu.replicate(computation, [[1.0], [2.0]])
    assert session.run(a + b, {a: 10.0, b: 20.0}) == 30.0 and not ran
    assert session.run(a + b, {a: 10.0}) == 12.0 and len(ran) == 2


def test_the_error_of_shapes_names_the_input() -> None:
    a, b = tf.zeros([2]), tf.zeros([3])
    with pytest.raises(ValueError, match=r"inputs\[0\]\[1\]\['k'\] is"):
        tf.tpu.replicate(lambda p, x: None, [[1.0, {"k": a}], [1.0, {"k": b}]])
    shapes = [None, {"k": None}]
    with pytest.raises(ValueError, match=r"inputs\[0\]\[1\]\['k'\] is"):
        tf.tpu.replicate(
            lambda p, x: None, [[1.0, {"k": a}], [1.0, {"k": b}]], maximum_shapes=shapes
        )


def test_the_computation_knows_what_all_replicas_share() -> None:
    seen: list[Any] = []
    x = tf.placeholder(tf.float32, [None, 3])
    y = tf.placeholder(tf.float32, [2, None])
    tf.tpu.replicate(seen.append, [[x], [y]])
    assert seen[0].shape.as_list() == [2, 3]
    tf.tpu.replicate(seen.append, [[x], [tf.placeholder(tf.float32)]])
    assert seen[1].shape.as_list() == [None, 3]


# -- arity ---------------------------------------------------------------------


class Counter:
    """Something with methods and a call of its own."""

    def method(self, x: Any) -> Any:
        return x + 1.0

    @classmethod
    def of_class(cls, x: Any) -> Any:
        return x + 2.0

    @staticmethod
    def static(x: Any) -> Any:
        return x + 3.0

    def __call__(self, x: Any) -> Any:
        return x + 4.0


def two(a: Any, b: Any) -> Any:
    return a + b


@pytest.mark.parametrize(
    ("computation", "expected"),
    [
        (lambda a, b=1.0: a + b, 2.0),
        (lambda *a: a[0], 1.0),
        (lambda a, *rest, k=5.0: a + k, 6.0),
        (lambda a, **options: a, 1.0),
        (functools.partial(two, b=9.0), 10.0),
        (functools.partial(two, 9.0), 10.0),
        (Counter().method, 2.0),
        (Counter.of_class, 3.0),
        (Counter.static, 4.0),
        (Counter(), 5.0),
        (np.negative, -1.0),
        (tf.exp, np.float32(np.e)),
    ],
)
def test_callables_that_take_one_input(
    computation: Any, expected: float, evaluate: Any
) -> None:
    ((value,),) = evaluate(tf.tpu.replicate(computation, [[1.0]]))
    assert value == pytest.approx(expected)


@pytest.mark.parametrize(
    ("computation", "count", "message"),
    [
        (lambda: None, 1, "exactly 0 inputs"),
        (lambda a: None, 2, "exactly 1 input"),
        (lambda a, b: None, 1, "exactly 2 inputs"),
        (lambda a, b: None, 0, "exactly 2 inputs"),
        (lambda a, b=1: None, 3, "1 to 2 inputs"),
        (lambda a, b, *c: None, 1, "at least 2 inputs"),
        (lambda a, *, key: None, 1, "needs key by keyword"),
        (functools.partial(two, 1.0), 2, "exactly 1 input"),
        (functools.partial(two, b=1.0), 2, "partial"),
        (Counter().method, 2, "exactly 1 input"),
        (Counter.of_class, 0, "exactly 1 input"),
        (Counter(), 2, "Counter"),
        (np.add, 1, "numpy.add takes exactly 2 inputs"),
        (np.add, 3, "numpy.add takes exactly 2 inputs"),
        (np.negative, 2, "numpy.negative takes exactly 1"),
    ],
)
def test_arity_is_checked_before_the_call(
    computation: Any, count: int, message: str
) -> None:
    with pytest.raises(ValueError, match=message) as raised:
        tf.tpu.replicate(computation, [[1.0] * count, [2.0] * count])
    assert isinstance(raised.value, TypeError)  # as the releases raise it
    assert str(count) in str(raised.value)


def test_a_built_in_without_a_signature_is_called() -> None:
    (out,) = tf.tpu.replicate(dict)
    assert out.type == "NoOp"


def test_the_infeed_counts_as_inputs() -> None:
    queue = tf.contrib.tpu.InfeedQueue(tuple_types=[tf.float32], tuple_shapes=[[2]])
    with pytest.raises(ValueError, match="gets 1 and 1 more from the infeed queue"):
        tf.tpu.replicate(lambda a: None, [[1.0], [2.0]], infeed_queue=queue)


@pytest.mark.parametrize("computation", [None, 5, "text", tf.float32])
def test_the_computation_has_to_be_callable(computation: Any) -> None:
    with pytest.raises(TypeError, match="computation must be callable"):
        tf.tpu.replicate(computation, [[1.0]])


def test_an_error_of_the_computation_comes_out_as_it_is() -> None:
    def computation(x: Any) -> Any:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        tf.tpu.replicate(computation, [[1.0]])
    tf.tpu.replicate(lambda x: x, [[1.0]])  # and nothing is left open


# -- other arguments -----------------------------------------------------------


@pytest.mark.parametrize("queue", ["queue", 1, [1.0]])
def test_the_infeed_queue_has_its_type(queue: Any) -> None:
    with pytest.raises(TypeError, match="infeed_queue must be"):
        tf.tpu.replicate(lambda x: None, [[1.0]], infeed_queue=queue)


@pytest.mark.parametrize("assignment", ["", [[0]], tf.contrib.tpu.Topology, 0])
def test_the_device_assignment_has_its_type(assignment: Any) -> None:
    with pytest.raises(TypeError, match="device_assignment must be a DeviceAssignment"):
        tf.tpu.replicate(lambda x: None, [[1.0]], device_assignment=assignment)


def test_the_infeed_cannot_be_padded() -> None:
    queue = tf.contrib.tpu.InfeedQueue(tuple_types=[tf.float32], tuple_shapes=[[2]])
    with pytest.raises(ValueError, match="maximum_shapes cannot be used together"):
        tf.tpu.replicate(
            lambda x, y: None, [[1.0]], queue, maximum_shapes=[tf.TensorShape([])]
        )


@pytest.mark.parametrize("name", ["foo", "", 5, object()])
def test_the_name_has_no_effect(name: Any) -> None:
    def names(given: Any) -> list[str]:
        with tf.Graph().as_default():
            tf.tpu.replicate(lambda x: x + 1, [[1.0], [2.0]], name=given)
            return operation_names()

    assert names(name) == names(None)


@pytest.mark.parametrize("options", [{}, "", [], True, (True,)])
def test_xla_options_have_their_type(options: Any) -> None:
    with pytest.raises(TypeError, match="xla_options must be a tf.tpu.XLAOptions"):
        tf.tpu.replicate(lambda x: None, [[1.0]], xla_options=options)


def test_xla_options_change_no_value(evaluate: Any) -> None:
    chosen = tf.compat.v1.tpu.XLAOptions(use_spmd_for_xla_partitioning=False)
    outputs = [
        tf.tpu.replicate(lambda x: x / 3.0, [[1.0]], xla_options=options)
        for options in (None, tf.compat.v1.tpu.XLAOptions(), chosen)
    ]
    first, *others = evaluate(outputs)
    assert all(other == first for other in others)
    with pytest.raises(AttributeError):
        chosen.use_spmd_for_xla_partitioning = True


# -- what comes back -----------------------------------------------------------


def test_none_gives_a_noop_that_runs_the_computation(evaluate: Any) -> None:
    v = tf.Variable(0.0)

    def computation(x: Any) -> None:
        v.assign_add(x)

    outputs = tf.tpu.replicate(computation, [[5.0], [5.0]])
    assert [(type(o), o.type) for o in outputs] == [(tf.Operation, "NoOp")] * 2
    assert evaluate(v) == 0.0
    assert evaluate(outputs[1]) is None
    assert evaluate(v) == 5.0


@pytest.mark.parametrize(
    "wrap", [lambda op: op, lambda op: [op], lambda op: (op,), lambda op: [op, op]]
)
def test_operations_give_a_noop_that_runs_them(wrap: Any, evaluate: Any) -> None:
    v = tf.Variable(0.0)
    outputs = tf.tpu.replicate(lambda: wrap(v.assign_add(1.0).op))
    assert [(type(o), o.type) for o in outputs] == [(tf.Operation, "NoOp")]
    evaluate(outputs)
    assert evaluate(v) == 1.0


@pytest.mark.parametrize("empty", [[], (), {}, [[]]])
def test_empty_structures_give_a_noop(empty: Any) -> None:
    outputs = tf.tpu.replicate(lambda: empty)
    assert outputs[0].type == "NoOp" and isinstance(outputs[0], tf.Operation)


@pytest.mark.parametrize(
    "value", [7.0, np.float32(7.0), np.array(7.0, np.float32), True]
)
def test_a_single_value_gives_a_tuple_of_one(value: Any, evaluate: Any) -> None:
    outputs = tf.tpu.replicate(lambda: value)
    assert type(outputs[0]) is tuple and len(outputs[0]) == 1
    assert isinstance(outputs[0][0], tf.Tensor)
    assert evaluate(outputs) == [(value,)]


def test_a_single_tensor_or_variable_gives_a_tuple_of_one(evaluate: Any) -> None:
    v = tf.Variable(3.0)
    assert evaluate(tf.tpu.replicate(lambda: v)) == [(3.0,)]
    assert evaluate(tf.tpu.replicate(lambda x: x, [[2.0]])) == [(2.0,)]


@pytest.mark.parametrize(
    "make",
    [
        lambda x: [x],
        lambda x: (x,),
        lambda x: [x, x + 1],
        lambda x: (x, x + 1),
        lambda x: Pair(x, x + 1),
        lambda x: {"b": x, "a": x + 1},
        lambda x: collections.OrderedDict([("b", x), ("a", x + 1)]),
        lambda x: [x, (x + 1, {"k": [x + 2]})],
        lambda x: {"a": x, "b": [x, (x,)]},
        lambda x: (Pair(x, [x]), x),
    ],
)
def test_the_structure_is_kept(make: Any, evaluate: Any) -> None:
    def types(value: Any) -> Any:
        if isinstance(value, dict):
            return type(value), [(k, types(v)) for k, v in value.items()]
        if isinstance(value, (list, tuple)):
            return type(value), [types(v) for v in value]
        return None

    outputs = tf.tpu.replicate(make, [[1.0], [10.0]])
    assert types(outputs[1]) == types(make(0.0))
    assert evaluate(outputs) == [make(1.0), make(10.0)]
    first, second = (tf.nest.flatten(output) for output in outputs)
    assert not {id(t) for t in first} & {id(t) for t in second}


def test_a_defaultdict_stays_one(evaluate: Any) -> None:
    def computation(x: Any) -> Any:
        table = collections.defaultdict(list)
        table["k"] = x
        return table

    (result,) = evaluate(tf.tpu.replicate(computation, [[1.0]]))
    assert type(result) is collections.defaultdict
    assert result == {"k": 1.0}


def test_operations_behind_tensors_are_left_out_and_run(evaluate: Any) -> None:
    v = tf.Variable(0.0)

    def computation(x: Any) -> Any:
        return [x, x + 1, v.assign_add(x).op, tf.no_op()]

    outputs = tf.tpu.replicate(computation, [[2.0]])
    assert type(outputs[0]) is list and len(outputs[0]) == 2
    assert evaluate(outputs[0][1]) == 3.0
    assert evaluate(v) == 2.0


def test_a_tuple_with_operations_stays_a_tuple() -> None:
    outputs = tf.tpu.replicate(lambda x: (x, tf.no_op()), [[2.0]])
    assert type(outputs[0]) is tuple and len(outputs[0]) == 1


@pytest.mark.parametrize(
    "make",
    [
        lambda x: [tf.no_op(), x],
        lambda x: [x, tf.no_op(), x],
        lambda x: (tf.no_op(), x),
    ],
)
def test_tensors_come_before_operations(make: Any) -> None:
    with pytest.raises(ValueError, match="tensors before operations"):
        tf.tpu.replicate(make, [[1.0]])


@pytest.mark.parametrize(
    "make",
    [
        lambda x: [x, [tf.no_op()]],
        lambda x: {"a": tf.no_op()},
        lambda x: [[x, tf.no_op()]],
    ],
)
def test_operations_in_a_nest_are_refused(make: Any) -> None:
    with pytest.raises(ValueError, match="nested structure"):
        tf.tpu.replicate(make, [[1.0]])


@pytest.mark.parametrize(
    ("make", "place"),
    [
        (lambda x: object(), ""),
        (lambda x: [x, None], r"at \[1\]"),
        (lambda x: {"a": {"b": object()}}, r"at \['a'\]\['b'\]"),
    ],
)
def test_what_is_no_tensor_is_refused(make: Any, place: str) -> None:
    with pytest.raises(
        ValueError, match=f"result of the computation.*{place}.*neither"
    ):
        tf.tpu.replicate(make, [[1.0]])


def test_dtype_and_static_shape_come_out() -> None:
    outputs = tf.tpu.replicate(
        lambda x: [x, tf.cast(x, tf.int32)], [[tf.zeros([2, 3])], [tf.ones([2, 3])]]
    )
    found = [(t.dtype.name, t.shape.as_list()) for t in outputs[1]]
    assert found == [("float32", [2, 3]), ("int32", [2, 3])]


# -- what runs -----------------------------------------------------------------


def test_building_runs_nothing(evaluate: Any) -> None:
    v = tf.Variable(1.0)
    before = len(operation_names())
    outputs = tf.tpu.replicate(lambda x: v.assign_add(x), [[1.0]])
    assert len(operation_names()) > before
    assert evaluate(v) == 1.0
    evaluate(outputs)
    assert evaluate(v) == 2.0


def test_operations_that_are_not_returned_run_with_any_output(evaluate: Any) -> None:
    v, w = tf.Variable(0.0), tf.Variable(0.0)

    def computation(x: Any) -> Any:
        v.assign_add(1.0)
        with tf.control_dependencies([w.assign_add(10.0)]):
            tf.no_op()
        return x, x + 1

    outputs = tf.tpu.replicate(computation, [[1.0], [2.0]])
    assert evaluate(outputs[1][1]) == 3.0
    assert evaluate([v, w]) == [1.0, 10.0]


def test_all_replicas_run_for_the_output_of_one(evaluate: Any) -> None:
    ran: list[int] = []

    def computation(x: Any) -> Any:
        tf.tpu.outside_compilation(
            lambda a: tf.py_func(lambda value: ran.append(int(value)), [a], []), x
        )
        return x

    outputs = tf.tpu.replicate(computation, [[5], [6], [7]])
    assert evaluate(outputs[1]) == (6,)
    assert sorted(ran) == [5, 6, 7]


def test_tensors_from_around_reach_every_replica(evaluate: Any) -> None:
    around = tf.placeholder(tf.float32, [2])
    outputs = tf.tpu.replicate(
        lambda x: (x + tf.reduce_sum(around), around), [[1.0], [2.0]]
    )
    first, second = evaluate(outputs, {around: [10.0, 20.0]})
    assert (first[0], second[0]) == (31.0, 32.0)
    assert first[1].tolist() == second[1].tolist() == [10.0, 20.0]


def test_computations_may_follow_one_another(evaluate: Any) -> None:
    first = tf.tpu.replicate(lambda x: x * 2, [[1.0], [2.0]])
    second = tf.tpu.replicate(lambda x: x + 1, [list(out) for out in first])
    assert evaluate(second) == [(3.0,), (5.0,)]


def test_control_dependencies_around_come_first(evaluate: Any) -> None:
    v = tf.Variable(1.0)
    with tf.control_dependencies([v.assign(100.0)]):
        outputs = tf.tpu.replicate(lambda: v.read_value())
    assert evaluate(outputs) == [(100.0,)]


def test_control_flow_differs_between_replicas(evaluate: Any) -> None:
    def computation(x: Any) -> Any:
        y = tf.cond(x > 2, lambda: x * 100, lambda: x)
        z = tf.while_loop(lambda i: i < x, lambda i: i + 1, [tf.constant(0)])
        return y, z

    outputs = tf.tpu.replicate(computation, [[1], [2], [3]])
    assert evaluate(outputs) == [(1, 1), (2, 2), (300, 3)]


def test_a_computation_within_a_branch_around(evaluate: Any) -> None:
    x = tf.placeholder(tf.float32, [])

    def on_cores() -> Any:
        return tf.tpu.replicate(lambda v: v * 2, [[x], [x + 1]])[1][0]

    y = tf.cond(x > 0, on_cores, lambda: x)
    assert evaluate(y, {x: 3.0}) == 8.0
    assert evaluate(y, {x: -3.0}) == -3.0


# -- variables -----------------------------------------------------------------


def test_variables_keep_the_value_of_replica_0(evaluate: Any) -> None:
    v = tf.Variable([0.0, 0.0])
    outputs = tf.tpu.replicate(lambda x: v.assign([x, x]), [[7.0], [8.0]])
    first, second = evaluate(outputs)
    assert first[0].tolist() == [7.0, 7.0] and second[0].tolist() == [8.0, 8.0]
    assert evaluate(v).tolist() == [7.0, 7.0]


def test_each_replica_reads_what_it_wrote(evaluate: Any) -> None:
    v = tf.Variable(1.0)

    def computation(x: Any) -> Any:
        before = v.read_value()
        v.assign_add(x)
        v.assign_sub(1.0)
        return before, v.read_value()

    outputs = tf.tpu.replicate(computation, [[10.0], [20.0]])
    assert evaluate(outputs) == [(1.0, 10.0), (1.0, 20.0)]
    assert evaluate(v) == 10.0


def test_get_variable_inside_makes_a_variable_of_the_graph(evaluate: Any) -> None:
    def computation(x: Any) -> Any:
        w = tf.get_variable("w", [], initializer=tf.constant_initializer(3.0))
        return w * x

    outputs = tf.tpu.replicate(computation, [[1.0], [2.0]])
    assert [v.name for v in tf.global_variables()] == ["w:0"]
    assert evaluate(outputs) == [(3.0,), (6.0,)]


def test_a_variable_cannot_start_with_a_value_of_the_computation() -> None:
    with pytest.raises(ValueError, match="inside the replicated computation"):
        tf.tpu.replicate(lambda x: tf.Variable(x * 2), [[1.0]])


def test_replicas_that_disagree_are_reported_on_request(evaluate: Any) -> None:
    v = tf.Variable([1.0, 1.0, 1.0], name="weights")
    outputs = tf.tpu.replicate(
        lambda x: v.assign(tf.stack([2.0, x, x])), [[4.0], [4.0], [5.0]]
    )
    evaluate(v)
    with (
        tf.config.override(check_replicas=True),
        pytest.raises(tf.errors.InvalidArgumentError) as raised,
    ):
        evaluate(outputs)
    message = str(raised.value)
    assert "'weights'" in message
    assert "index [1] replica 0 has 4.0, replica 2 has 5.0" in message
    assert "cross_replica_sum" in message
    assert evaluate(v).tolist() == [1.0, 1.0, 1.0]


def test_replicas_that_agree_pass_the_check(evaluate: Any) -> None:
    v = tf.Variable([0.0])
    outputs = tf.tpu.replicate(
        lambda x: v.assign([tf.tpu.cross_replica_sum(x)]), [[4.0], [5.0]]
    )
    with tf.config.override(check_replicas=True):
        evaluate(outputs)
    assert evaluate(v).tolist() == [9.0]


# -- random --------------------------------------------------------------------


def draws(seed: int | None = None, graph_seed: int | None = None) -> list[Any]:
    with tf.Graph().as_default():
        if graph_seed is not None:
            tf.set_random_seed(graph_seed)
        outputs = tf.tpu.replicate(
            lambda _: tf.random_uniform([4], seed=seed), [[0.0], [0.0], [0.0]]
        )
        with tf.Session() as session:
            return [session.run(outputs), session.run(outputs)]


def test_random_streams_differ_between_replicas_and_runs() -> None:
    values = [tuple(out[0]) for run in draws(seed=3) for out in run]
    assert len(set(values)) == 6


@pytest.mark.parametrize("seeds", [{"seed": 3}, {"graph_seed": 4}])
def test_seeds_make_draws_reproducible(seeds: Any) -> None:
    first, second = draws(**seeds), draws(**seeds)
    assert str(first) == str(second)
    assert str(first) != str(draws(**dict.fromkeys(seeds, 99)))


def test_draws_without_seeds_differ_between_sessions() -> None:
    assert str(draws()) != str(draws())


# -- scopes and places ---------------------------------------------------------


@pytest.mark.parametrize(
    "inner",
    [
        lambda x: tf.tpu.replicate(lambda y: y, [[x]]),
        lambda x: tf.tpu.rewrite(lambda y: y, [x]),
        lambda x: tf.tpu.shard(lambda y: y, [[1.0, 2.0]], num_shards=2),
        lambda x: tf.tpu.batch_parallel(lambda: tf.constant([1.0])),
        lambda x: tf.cond(
            x > 0, lambda: tf.tpu.rewrite(lambda y: y, [x])[0], lambda: x
        ),
    ],
)
def test_computations_cannot_be_nested(inner: Any) -> None:
    with pytest.raises(ValueError, match="cannot be nested") as raised:
        tf.tpu.replicate(inner, [[1.0]])
    assert "test_replicate.py" in str(raised.value)


def test_a_leaked_tensor_names_where_it_was_made() -> None:
    leaked: list[Any] = []
    tf.tpu.replicate(lambda x: leaked.append(x * 2), [[1.0]])
    with pytest.raises(ValueError, match="inside the replicated computation") as raised:
        leaked[0] + 1.0
    message = str(raised.value)
    assert "leaked.append(x * 2)" in message and "leaked[0] + 1.0" in message


def test_a_leaked_tensor_is_refused_in_another_computation() -> None:
    leaked: list[Any] = []
    tf.tpu.replicate(lambda x: leaked.append(x * 2), [[1.0]])
    for computation in (lambda: leaked[0], lambda: [1.0, leaked[0]]):
        with pytest.raises(ValueError, match="used outside of it"):
            tf.tpu.replicate(computation)
    with pytest.raises(ValueError, match="used outside of it"):
        tf.tpu.replicate(lambda x: x, [leaked])


def test_a_leaked_tensor_cannot_be_fetched(session: tf.Session) -> None:
    leaked: list[Any] = []
    tf.tpu.replicate(leaked.append, [[1.0]])
    with pytest.raises(ValueError, match="return it from that function"):
        session.run(leaked[0])


def test_a_tensor_of_another_graph_is_refused() -> None:
    with tf.Graph().as_default():
        foreign = tf.constant(1.0)
    with pytest.raises(ValueError, match="another graph"):
        tf.tpu.replicate(lambda: foreign)
    with pytest.raises(ValueError, match="another graph"):
        tf.tpu.replicate(lambda x: x, [[foreign]])


@pytest.mark.parametrize(
    ("device", "name"),
    [
        ("/device:GPU:0", "/device:GPU:0"),
        ("/gpu:1", "/device:GPU:1"),
        ("device:ABACUS:0", "/device:ABACUS:0"),
    ],
)
def test_an_unknown_device_is_named_with_its_place(device: str, name: str) -> None:
    def placed(x: Any) -> Any:
        with tf.device(device):
            return tf.negative(x, name="lost")  # on no device

    def branching(x: Any) -> Any:
        return tf.cond(x > 0, lambda: placed(x), lambda: x)

    for computation in (placed, branching):
        with pytest.raises(ValueError, match=f"there is no device '{name}'") as raised:
            tf.tpu.replicate(computation, [[1.0]])
        message = str(raised.value)
        assert "lost" in message and "# on no device" in message


@pytest.mark.parametrize("device", [None, "/cpu:0", "/task:0/device:TPU:1", ""])
def test_known_devices_are_accepted(device: Any, evaluate: Any) -> None:
    def computation(x: Any) -> Any:
        with tf.device(device):
            return tf.negative(x)

    assert evaluate(tf.tpu.replicate(computation, [[1.0]])) == [(-1.0,)]


def test_a_run_time_error_names_replica_operation_and_line(session: Any) -> None:
    def computation(x: Any) -> Any:
        return tf.gather([1.0, 2.0], x)  # the line to be named

    outputs = tf.tpu.replicate(computation, [[0], [5]])
    with pytest.raises(tf.errors.InvalidArgumentError) as raised:
        session.run(outputs)
    message = str(raised.value)
    assert "replica 1" in message and "5" in message
    assert "the line to be named" in message
    assert "operation: " in message


# -- eager mode ----------------------------------------------------------------


def test_eager_mode_runs_at_once() -> None:
    with tf.eager_execution():
        outputs = tf.tpu.replicate(
            lambda x: {"sum": tf.tpu.cross_replica_sum(x), "own": [x]}, [[1.0], [2.0]]
        )
        assert [float(out["sum"]) for out in outputs] == [3.0, 3.0]
        assert outputs[1]["own"][0].numpy() == 2.0


def test_eager_mode_keeps_the_return_rules() -> None:
    with tf.eager_execution():
        v = tf.Variable(1.0)
        assert tf.tpu.replicate(lambda: None) == [None]
        assert tf.tpu.replicate(lambda: v.assign_add(1.0).op) == [None]
        ((value,),) = tf.tpu.replicate(lambda: v)
        assert float(value) == 2.0 and float(v.numpy()) == 2.0


def test_eager_tensors_are_inputs_and_captured() -> None:
    with tf.eager_execution():
        x, k = tf.constant([1.0, 2.0]), tf.constant(10.0)
        ((a,), (b,)) = tf.tpu.replicate(lambda v: v * k, [x, [x + 1]])
        assert a.numpy().tolist() == [10.0, 20.0] and b.numpy().tolist() == [20.0, 30.0]
        ((again,),) = tf.tpu.replicate(lambda v: v + 1, [[a]])
        assert again.numpy().tolist() == [11.0, 21.0]


def test_eager_mode_checks_the_same() -> None:
    with tf.eager_execution():
        with pytest.raises(ValueError, match="exactly 2 inputs"):
            tf.tpu.replicate(lambda a, b: None, [[1.0]])
        with pytest.raises(ValueError, match="cannot be nested"):
            tf.tpu.replicate(lambda x: tf.tpu.rewrite(lambda y: y, [x]), [[1.0]])
