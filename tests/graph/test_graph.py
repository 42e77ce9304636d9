"""Graphs: names, scopes, dependencies, collections, and what belongs to which."""

import concurrent.futures
import functools
import threading

import pytest

import tpuref as tf
from tpuref.engine.graph.build import apply

from ..functions.values import note

# Names.


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (["x", "x", "x"], ["x", "x_1", "x_2"]),
        (["Mass", "mass"], ["Mass", "mass_1"]),
        (["x_1", "x", "x", "x_1"], ["x_1", "x", "x_2", "x_1_1"]),
        (["x/", "x"], ["x", "x_1"]),  # an absolute name is taken from then on
        ([None, None], ["Const", "Const_1"]),
    ],
)
def test_names_are_made_unique_in_the_order_of_building(asked, expected):
    assert [tf.constant(0, name=name).op.name for name in asked] == expected


@pytest.mark.parametrize("name", ["a b", "-x", "x:0", "_x", "ä"])
def test_names_of_other_letters_are_refused(name):
    with pytest.raises(ValueError, match="not a valid operation name"):
        tf.constant(0, name=name)
    with pytest.raises(ValueError, match="not a valid"), tf.name_scope("a b"):
        pass


def test_unique_name_marks_the_name_unless_told_not_to(graph):
    assert graph.unique_name("n", mark_as_used=False) == "n"
    assert graph.unique_name("n") == "n"
    assert graph.unique_name("n") == "n_1"


def test_operations_are_found_by_name(graph):
    x = tf.constant(0, name="x")
    assert graph.get_operation_by_name("x") is x.op
    assert graph.get_tensor_by_name("x:0") is x
    for call, name, error, message in (
        (graph.get_operation_by_name, "y", KeyError, "no operation named 'y'"),
        (graph.get_tensor_by_name, "y:0", KeyError, "no operation named 'y'"),
        (graph.get_tensor_by_name, "x:1", KeyError, "1 outputs"),
        (graph.get_tensor_by_name, "x", ValueError, "operation:index"),
    ):
        with pytest.raises(error, match=message):
            call(name)


def test_graph_elements_are_found_by_name_and_by_variable(graph):
    x, v = tf.constant(0, name="x"), tf.Variable(0, name="v")
    assert graph.as_graph_element("x:0") is x
    assert graph.as_graph_element("x") is x.op
    assert graph.as_graph_element(v).op is v.op
    for value, options in (
        (3, {}),
        (x.op, {"allow_operation": False}),
        (x, {"allow_tensor": False}),
    ):
        with pytest.raises(TypeError, match="expected a tensor"):
            graph.as_graph_element(value, **options)
    with pytest.raises(ValueError, match="belongs to another graph"):
        tf.Graph().as_graph_element(x)


def test_version_counts_operations_and_their_list_is_a_copy(graph):
    before = graph.version
    tf.constant(0)
    assert graph.version > before
    graph.get_operations().clear()
    assert [operation.type for operation in graph.get_operations()] == ["Const"]


def test_name_scopes_prefix_names_and_become_unique():
    with tf.name_scope("layer") as outer, tf.name_scope("inner") as inner:
        x = tf.constant(0, name="x")
    with tf.name_scope("layer") as again:
        y = tf.constant(0, name="x")
    assert (outer, inner, again) == ("layer/", "layer/inner/", "layer_1/")
    assert (x.name, y.name) == ("layer/inner/x:0", "layer_1/x:0")
    tf.constant(0, name="x")
    with tf.name_scope("x") as beside_an_operation:
        pass
    with tf.name_scope(None, "fallback") as scope:
        pass
    with tf.name_scope("given", "fallback") as other:
        pass
    assert (beside_an_operation, scope, other) == ("x_1/", "fallback/", "given/")


def test_a_scope_with_its_slash_is_entered_again():
    with tf.name_scope("a") as scope:
        tf.constant(0, name="x")
    with tf.name_scope("other"), tf.name_scope(scope) as again:
        x = tf.constant(0, name="x")
    assert again == "a/"
    assert x.op.name == "a/x_1"


@pytest.mark.parametrize("name", [None, ""])
def test_an_empty_scope_returns_to_the_root(name, graph):
    with tf.name_scope("a"):
        with graph.name_scope(name) as scope:
            x = tf.constant(0, name="x")
        assert graph.get_name_scope() == "a"
    assert (scope, x.op.name, graph.get_name_scope()) == ("", "x", "")
    with pytest.raises(ZeroDivisionError), tf.name_scope("a"):
        raise ZeroDivisionError
    assert graph.get_name_scope() == ""


def test_an_operation_may_take_the_name_of_its_scope():
    with tf.name_scope("loss") as scope:
        x = tf.constant(0)
        loss = tf.identity(x, name=scope)
    assert loss.op.name == "loss"
    assert x.op.name == "loss/Const"
    assert tf.constant(0, name="loss").op.name == "loss_1"


def test_as_default_holds_within_the_block(graph):
    other = tf.Graph()
    with other.as_default() as entered:
        assert entered is other
        assert tf.get_default_graph() is other
        with graph.as_default():
            assert tf.get_default_graph() is graph
        x = tf.constant(0)
    assert x.graph is other
    assert tf.get_default_graph() is graph


def test_reset_puts_an_empty_graph_in_place(graph):
    tf.constant(0)
    tf.reset_default_graph()
    assert tf.get_default_graph() is not graph
    assert tf.get_default_graph().get_operations() == []
    with tf.Graph().as_default(), pytest.raises(AssertionError, match="leave the"):
        tf.reset_default_graph()


def test_a_finalized_graph_runs_but_does_not_change(graph):
    x = tf.constant(2)
    assert not graph.finalized
    graph.finalize()
    assert graph.finalized
    with pytest.raises(RuntimeError, match="finalized"):
        tf.constant(1)
    assert tf.Session().run(x) == 2


def in_threads(functions):
    """Run the functions at once and return their results; raise what one raises."""
    with concurrent.futures.ThreadPoolExecutor(len(functions)) as pool:
        started = [pool.submit(function) for function in functions]
        return [future.result(30) for future in started]


def test_tensors_of_another_graph_are_refused():
    with tf.Graph().as_default():
        foreign = tf.constant(1.0, name="foreign")
    with pytest.raises(ValueError, match=r"(?s)foreign:0.*another graph.*test_graph"):
        foreign + tf.constant(1.0)
    with pytest.raises(ValueError, match="another graph"):
        tf.identity(foreign)


def test_threads_build_in_different_graphs_at_once():
    barrier = threading.Barrier(4)

    def build(number):
        with tf.Graph().as_default() as graph, tf.name_scope(f"part{number}"):
            barrier.wait(10)
            total = tf.constant(0)
            for k in range(50):
                total = total + k * number
            assert {op.graph for op in graph.get_operations()} == {graph}
            assert total.name.startswith(f"part{number}/")
            return tf.Session().run(total)

    parts = [functools.partial(build, number) for number in range(4)]
    assert in_threads(parts) == [0, 1225, 2450, 3675]


def test_scopes_of_one_thread_do_not_reach_another(graph):
    def build():
        with graph.as_default():
            x = tf.constant(0, name="x")
            return x.op.name, x.device, tf.get_variable_scope().name

    with tf.name_scope("a"), tf.device("/cpu:0"), tf.variable_scope("v"):
        assert in_threads([build]) == [("x", "", "")]


def test_threads_share_the_names_of_one_graph(graph):
    def build():
        with graph.as_default():
            for _ in range(100):
                tf.constant(0, name="x")

    in_threads([build] * 4)
    assert len({op.name for op in graph.get_operations()}) == 400


def test_dependencies_run_first_and_only_where_asked():
    log: list[str] = []
    first, second, idle = (note(log, label).op for label in ("first", "second", "idle"))
    with tf.control_dependencies([first]), tf.control_dependencies([second]):
        x = tf.constant(7)
    assert tf.Session().run(x) == 7
    assert log == ["first", "second"]
    assert set(x.op.control_inputs) == {first, second}
    assert idle not in x.op.control_inputs


def test_dependencies_accept_tensors_and_variables(evaluate):
    log: list[str] = []
    tensor = note(log, "tensor")
    v = tf.Variable(1, name="v")
    with tf.control_dependencies([tensor, v]):
        x = tf.no_op()
    assert x.control_inputs == [tensor.op, v.op]
    assert log == []
    evaluate(x)
    assert log == ["tensor"]


def test_none_clears_the_dependencies_of_the_scopes_around(session):
    log: list[str] = []
    with tf.control_dependencies([note(log, "first")]):
        with tf.control_dependencies(None):
            x = tf.constant(1)
            with tf.control_dependencies([note(log, "second")]):
                y = tf.constant(2)
        z = tf.constant(3)
    session.run(x)
    assert log == []
    session.run(y)
    assert log == ["second"]
    session.run(z)
    assert log == ["second", "first"]


def test_dependencies_that_are_refused():
    with tf.Graph().as_default():
        foreign = tf.no_op()
    for wrong, error, message in (
        ([3], TypeError, "expected a tensor"),
        ([None], TypeError, "expected a tensor"),
        (tf.constant([1, 2]), TypeError, "must be a list"),
        ([foreign], ValueError, "another graph"),
    ):
        with pytest.raises(error, match=message), tf.control_dependencies(wrong):
            pass


def test_collections_keep_the_order_and_may_be_filtered(graph):
    with tf.name_scope("a"):
        x = tf.constant(0, name="x")
    y = tf.constant(0, name="y")
    for value in (x, y, "no name"):
        tf.add_to_collection("mine", value)
    assert tf.get_collection("mine") == [x, y, "no name"]
    assert tf.get_collection("mine", "a/") == [x]
    assert tf.get_collection("others") == []
    with tf.Graph().as_default():
        assert tf.get_collection("mine") == []
    graph.add_to_collections(["a", "b", "a"], 1)
    assert (graph.get_collection("a"), graph.get_collection("b")) == ([1], [1])


def test_a_collection_comes_as_a_copy_and_its_ref_does_not(graph):
    graph.add_to_collection("mine", 1)
    graph.get_collection("mine").append(2)
    assert graph.get_collection("mine") == [1]
    graph.get_collection_ref("mine").append(3)
    assert graph.get_collection("mine") == [1, 3]


def test_an_operation_tells_what_it_is(graph):
    x, y = tf.constant(1, name="x"), tf.constant(2, name="y")
    with tf.device("/cpu:0"):
        total = tf.add(x, y, name="total")
    operation = total.op
    assert (operation.name, operation.type) == ("total", "AddV2")
    assert list(operation.inputs) == [x, y]
    assert operation.outputs == operation.values() == [total]
    assert operation.graph is graph
    assert operation.device == "/device:CPU:0"
    assert operation.node_def.name == "total"
    assert "total" in repr(operation) and "AddV2" in repr(operation)
    assert x.consumers() == [operation]
    assert y.op.get_attr("value") == 2
    with pytest.raises(ValueError, match="no attribute 'none'.*value"):
        y.op.get_attr("none")
    with pytest.raises(tf.errors.NotFoundError, match="'Frobnicate'"):
        apply("Frobnicate", x)
