"""Graphs: names, scopes, dependencies, collections, and what belongs to which."""

from __future__ import annotations

import threading
from typing import Any

import pytest

import tpuref as tf

# Names.


def test_names_are_made_unique_in_the_order_of_building() -> None:
    names = [tf.constant(0, name="x").op.name for _ in range(3)]
    assert names == ["x", "x_1", "x_2"]


def test_operations_without_a_name_get_one() -> None:
    total = tf.constant(1) + tf.constant(2)
    assert [op.name for op in total.graph.get_operations()] == [
        "Const",
        "Const_1",
        "add",
    ]


def test_names_differing_in_case_alone_are_made_unique() -> None:
    assert tf.constant(0, name="Mass").op.name == "Mass"
    assert tf.constant(0, name="mass").op.name == "mass_1"


def test_a_suffix_that_is_taken_is_passed_over() -> None:
    tf.constant(0, name="x_1")
    assert tf.constant(0, name="x").op.name == "x"
    assert tf.constant(0, name="x").op.name == "x_2"
    assert tf.constant(0, name="x_1").op.name == "x_1_1"


@pytest.mark.parametrize("name", ["a b", "-x", "x:0", "_x", "ä"])
def test_names_of_other_letters_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="not a valid operation name"):
        tf.constant(0, name=name)


def test_unique_name_marks_the_name_unless_told_not_to(graph: tf.Graph) -> None:
    assert graph.unique_name("n", mark_as_used=False) == "n"
    assert graph.unique_name("n") == "n"
    assert graph.unique_name("n") == "n_1"


def test_operations_are_found_by_name(graph: tf.Graph) -> None:
    x = tf.constant(0, name="x")
    assert graph.get_operation_by_name("x") is x.op
    assert graph.get_tensor_by_name("x:0") is x
    with pytest.raises(KeyError, match="no operation named 'y'"):
        graph.get_operation_by_name("y")
    with pytest.raises(KeyError, match="no operation named 'y'"):
        graph.get_tensor_by_name("y:0")
    with pytest.raises(KeyError, match="1 outputs"):
        graph.get_tensor_by_name("x:1")
    with pytest.raises(ValueError, match="operation:index"):
        graph.get_tensor_by_name("x")


def test_graph_elements_are_found_by_name_and_by_variable(graph: tf.Graph) -> None:
    x = tf.constant(0, name="x")
    v = tf.Variable(0, name="v")
    assert graph.as_graph_element("x:0") is x
    assert graph.as_graph_element("x") is x.op
    assert graph.as_graph_element(v).op is v.op
    with pytest.raises(TypeError, match="expected a tensor"):
        graph.as_graph_element(3)
    with pytest.raises(TypeError, match="expected a tensor"):
        graph.as_graph_element(x.op, allow_operation=False)
    with pytest.raises(TypeError, match="expected a tensor"):
        graph.as_graph_element(x, allow_tensor=False)
    with pytest.raises(ValueError, match="belongs to another graph"):
        tf.Graph().as_graph_element(x)


def test_version_counts_operations(graph: tf.Graph) -> None:
    before = graph.version
    tf.constant(0)
    assert graph.version > before
    assert graph.get_operations()[-1].type == "Const"


def test_the_list_of_operations_is_a_copy(graph: tf.Graph) -> None:
    tf.constant(0)
    graph.get_operations().clear()
    assert len(graph.get_operations()) == 1


# Name scopes.


def test_name_scopes_prefix_names_and_become_unique() -> None:
    with tf.name_scope("layer") as outer, tf.name_scope("inner") as inner:
        x = tf.constant(0, name="x")
    with tf.name_scope("layer") as again:
        y = tf.constant(0, name="x")
    assert (outer, inner, again) == ("layer/", "layer/inner/", "layer_1/")
    assert (x.name, y.name) == ("layer/inner/x:0", "layer_1/x:0")


def test_a_scope_with_its_slash_is_entered_again() -> None:
    with tf.name_scope("a") as scope:
        tf.constant(0, name="x")
    with tf.name_scope("other"), tf.name_scope(scope) as again:
        x = tf.constant(0, name="x")
    assert again == "a/"
    assert x.op.name == "a/x_1"


@pytest.mark.parametrize("name", [None, ""])
def test_an_empty_scope_returns_to_the_root(name: str | None, graph: tf.Graph) -> None:
    with tf.name_scope("a"):
        with graph.name_scope(name) as scope:
            x = tf.constant(0, name="x")
        assert graph.get_name_scope() == "a"
    assert scope == ""
    assert x.op.name == "x"
    assert graph.get_name_scope() == ""


def test_the_default_name_holds_where_no_name_is_given() -> None:
    with tf.name_scope(None, "fallback") as scope:
        pass
    with tf.name_scope("given", "fallback") as other:
        pass
    assert (scope, other) == ("fallback/", "given/")


def test_an_operation_may_take_the_name_of_its_scope() -> None:
    with tf.name_scope("loss") as scope:
        x = tf.constant(0)
        loss = tf.identity(x, name=scope)
    assert loss.op.name == "loss"
    assert x.op.name == "loss/Const"
    assert tf.constant(0, name="loss").op.name == "loss_1"


def test_an_absolute_name_is_taken_from_then_on() -> None:
    names = [tf.constant(0, name="x/").op.name, tf.constant(0, name="x").op.name]
    assert names == ["x", "x_1"]


def test_a_scope_and_an_operation_do_not_share_a_name() -> None:
    tf.constant(0, name="x")
    with tf.name_scope("x") as scope:
        pass
    assert scope == "x_1/"


def test_a_scope_ends_with_an_error_too(graph: tf.Graph) -> None:
    with pytest.raises(ZeroDivisionError), tf.name_scope("a"):
        raise ZeroDivisionError
    assert graph.get_name_scope() == ""


def test_scope_names_of_other_letters_are_refused() -> None:
    with pytest.raises(ValueError, match="not a valid"), tf.name_scope("a b"):
        pass


# The default graph.


def test_as_default_holds_within_the_block(graph: tf.Graph) -> None:
    other = tf.Graph()
    with other.as_default() as entered:
        assert entered is other
        assert tf.get_default_graph() is other
        with graph.as_default():
            assert tf.get_default_graph() is graph
        x = tf.constant(0)
    assert x.graph is other
    assert tf.get_default_graph() is graph


def test_reset_puts_an_empty_graph_in_place(graph: tf.Graph) -> None:
    tf.constant(0)
    tf.reset_default_graph()
    assert tf.get_default_graph() is not graph
    assert tf.get_default_graph().get_operations() == []


def test_reset_within_a_graph_block_is_refused() -> None:
    with tf.Graph().as_default(), pytest.raises(AssertionError, match="leave the"):
        tf.reset_default_graph()


def test_a_finalized_graph_runs_but_does_not_change(graph: tf.Graph) -> None:
    x = tf.constant(2)
    assert not graph.finalized
    graph.finalize()
    assert graph.finalized
    with pytest.raises(RuntimeError, match="finalized"):
        tf.constant(1)
    assert tf.Session().run(x) == 2


def test_tensors_of_another_graph_are_refused() -> None:
    with tf.Graph().as_default():
        foreign = tf.constant(1.0, name="foreign")
    with pytest.raises(ValueError, match=r"(?s)foreign:0.*another graph.*test_graph"):
        foreign + tf.constant(1.0)
    with pytest.raises(ValueError, match="another graph"):
        tf.identity(foreign)


def test_threads_build_in_different_graphs_at_once() -> None:
    barrier = threading.Barrier(4)
    failures: list[BaseException] = []
    values: dict[int, Any] = {}

    def build(number: int) -> None:
        try:
            with tf.Graph().as_default() as graph, tf.name_scope(f"part{number}"):
                barrier.wait(10)
                total = tf.constant(0)
                for k in range(50):
                    total = total + k * number
                assert {op.graph for op in graph.get_operations()} == {graph}
                assert total.name.startswith(f"part{number}/")
                values[number] = tf.Session().run(total)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=build, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert failures == []
    assert values == {n: 1225 * n for n in range(4)}


def test_scopes_of_one_thread_do_not_reach_another(graph: tf.Graph) -> None:
    found: list[tuple[str, str, str]] = []

    def build() -> None:
        with graph.as_default():
            x = tf.constant(0, name="x")
            found.append((x.op.name, x.device, tf.get_variable_scope().name))

    with tf.name_scope("a"), tf.device("/cpu:0"), tf.variable_scope("v"):
        thread = threading.Thread(target=build)
        thread.start()
        thread.join(10)
    assert found == [("x", "", "")]


def test_threads_share_the_names_of_one_graph(graph: tf.Graph) -> None:
    def build() -> None:
        with graph.as_default():
            for _ in range(100):
                tf.constant(0, name="x")

    threads = [threading.Thread(target=build) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len({op.name for op in graph.get_operations()}) == 400


# Dependencies.


def trace(log: list[str], label: str) -> tf.Operation:
    """Return an operation that notes when it runs."""

    def note() -> int:
        log.append(label)
        return 0

    tensor = tf.py_func(note, [], tf.int32)
    operation: tf.Operation = tensor.op
    return operation


def test_dependencies_run_first_and_only_where_asked() -> None:
    log: list[str] = []
    first, second, idle = (trace(log, label) for label in ("first", "second", "idle"))
    with tf.control_dependencies([first]), tf.control_dependencies([second]):
        x = tf.constant(7)
    assert tf.Session().run(x) == 7
    assert log == ["first", "second"]
    assert set(x.op.control_inputs) == {first, second}
    assert idle not in x.op.control_inputs


def test_dependencies_accept_tensors_and_variables() -> None:
    log: list[str] = []
    tensor = trace(log, "tensor").outputs[0]
    v = tf.Variable(1, name="v")
    with tf.control_dependencies([tensor, v]):
        x = tf.no_op()
    assert x.control_inputs == [tensor.op, v.op]
    with tf.Session() as session:
        session.run(v.initializer)
        assert log == []
        session.run(x)
    assert log == ["tensor"]


def test_none_clears_the_dependencies_of_the_scopes_around() -> None:
    log: list[str] = []
    with tf.control_dependencies([trace(log, "first")]):
        with tf.control_dependencies(None):
            x = tf.constant(1)
            with tf.control_dependencies([trace(log, "second")]):
                y = tf.constant(2)
        z = tf.constant(3)
    session = tf.Session()
    session.run(x)
    assert log == []
    session.run(y)
    assert log == ["second"]
    session.run(z)
    assert log == ["second", "first"]


def test_dependencies_hold_across_an_assignment() -> None:
    v = tf.Variable(1.0)
    with tf.control_dependencies([v.assign(5.0)]):
        after = v.read_value()
    with tf.Session() as session:
        session.run(v.initializer)
        assert session.run(after) == 5.0


@pytest.mark.parametrize("wrong", [3, None])
def test_dependencies_that_are_no_part_of_a_graph(wrong: Any) -> None:
    with (
        pytest.raises(TypeError, match="expected a tensor"),
        tf.control_dependencies([wrong]),
    ):
        pass


def test_a_dependency_needs_a_list() -> None:
    with (
        pytest.raises(TypeError, match=r"must be a list"),
        tf.control_dependencies(tf.constant([1, 2])),  # type: ignore[arg-type]
    ):
        pass


def test_dependencies_of_another_graph_are_refused() -> None:
    with tf.Graph().as_default():
        foreign = tf.no_op()
    with (
        pytest.raises(ValueError, match="another graph"),
        tf.control_dependencies([foreign]),
    ):
        pass


# Collections.


def test_collections_keep_the_order_and_may_be_filtered(graph: tf.Graph) -> None:
    with tf.name_scope("a"):
        x = tf.constant(0, name="x")
    y = tf.constant(0, name="y")
    for value in (x, y, "no name"):
        tf.add_to_collection("mine", value)
    assert tf.get_collection("mine") == [x, y, "no name"]
    assert tf.get_collection("mine", "a/") == [x]
    assert tf.get_collection("others") == []
    assert graph.get_collection("mine") == [x, y, "no name"]


def test_a_collection_comes_as_a_copy_and_its_ref_does_not(graph: tf.Graph) -> None:
    graph.add_to_collection("mine", 1)
    graph.get_collection("mine").append(2)
    assert graph.get_collection("mine") == [1]
    graph.get_collection_ref("mine").append(3)
    assert graph.get_collection("mine") == [1, 3]


def test_adding_to_several_collections_adds_once_to_each(graph: tf.Graph) -> None:
    graph.add_to_collections(["a", "b", "a"], 1)
    assert (graph.get_collection("a"), graph.get_collection("b")) == ([1], [1])


def test_collections_belong_to_their_graph() -> None:
    tf.add_to_collection("mine", 1)
    with tf.Graph().as_default():
        assert tf.get_collection("mine") == []


# Operations.


def test_an_operation_tells_what_it_is(graph: tf.Graph) -> None:
    x, y = tf.constant(1, name="x"), tf.constant(2, name="y")
    with tf.device("/cpu:0"):
        total = tf.add(x, y, name="total")
    operation = total.op
    assert (operation.name, operation.type) == ("total", "AddV2")
    assert list(operation.inputs) == [x, y]
    assert operation.outputs == [total]
    assert operation.values() == [total]
    assert operation.graph is graph
    assert operation.device == "/device:CPU:0"
    assert operation.node_def.name == "total"
    assert "total" in repr(operation) and "AddV2" in repr(operation)
    assert x.consumers() == [operation]


def test_attributes_of_operations() -> None:
    operation = tf.constant(7).op
    assert operation.get_attr("value") == 7
    with pytest.raises(ValueError, match="no attribute 'none'.*value"):
        operation.get_attr("none")


def test_an_operation_runs_in_the_current_session() -> None:
    v = tf.Variable(3)
    with pytest.raises(ValueError, match="no current session"):
        v.initializer.run()
    with tf.Session():
        v.initializer.run()
        assert v.eval() == 3


def test_an_unknown_operation_is_not_in_the_registry() -> None:
    from tpuref.engine.graph.build import apply

    with pytest.raises(tf.errors.NotFoundError, match="'Frobnicate'"):
        apply("Frobnicate", tf.constant(1))
