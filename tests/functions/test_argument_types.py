"""Arguments of the wrong type raise an error that names function and argument."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tpuref as tf


def resolver() -> Any:
    return tf.distribute.cluster_resolver.TPUClusterResolver("local")


def local_strategy() -> Any:
    return tf.contrib.distribute.TPUStrategy(resolver(), 1, num_cores=2)


def topology() -> Any:
    return tf.contrib.tpu.Topology.for_mesh(2, 2, 2)


CALLS = {
    "AddV2: name": lambda: tf.add(1, 2, name=1.5),
    "Const: name": lambda: tf.constant(1, name=1.5),
    "Relu: name": lambda: tf.nn.relu(1.0, name=np.ones(2)),
    "tf.assign: ref": lambda: tf.assign(-1, 2),
    "tf.assign_add: ref": lambda: tf.assign_add(np.ones(2), 2),
    "tf.assign_sub: ref": lambda: tf.assign_sub("x", 2),
    "tf.is_variable_initialized": lambda: tf.is_variable_initialized(np.ones(3)),
    "tf.variables_initializer": lambda: tf.variables_initializer([()]),
    "tf.pad: mode": lambda: tf.pad([1], [[1, 1]], mode=8),
    "tf.nn.bias_add: data_format": lambda: tf.nn.bias_add(
        np.ones((2, 3)), np.ones(3), data_format=int
    ),
    "tf.padding_report: graph": lambda: tf.padding_report(graph=[]),
    "tf.set_random_seed: seed": lambda: tf.set_random_seed(float("inf")),
    "tf.get_seed: seed": lambda: tf.get_seed("5"),
    "tf.random_uniform: seed": lambda: tf.random_uniform([2], seed=float("nan")),
    "tf.truncated_normal: seed": lambda: tf.truncated_normal([2], seed=1.5),
    "tf.nn.log_softmax: axis": lambda: tf.nn.log_softmax([1.0], axis=float("inf")),
    "tf.Session: config": lambda: tf.Session(config=7),
    "tf.Session.reset: config": lambda: tf.Session.reset("", config=-1.5),
    "tf.Session.run: options": lambda: tf.Session().run(
        tf.constant(1), options=3, run_metadata=tf.RunMetadata()
    ),
    "session must be": lambda: tf.constant(1).eval(session=topology()),
    "Graph.get_tensor_by_name": lambda: tf.Graph().get_tensor_by_name(["x:0"]),
    "Graph.add_to_collections": lambda: tf.Graph().add_to_collections(3, "x"),
    "TensorSpec: other": lambda: tf.TensorSpec([2]).is_compatible_with(1),
    "PerDevice: index": lambda: tf.contrib.distribute.PerDevice([1, 2]),
    "TPUStrategy.configure": lambda: local_strategy().configure(session_config=[]),
    "num_accelerators: config_proto": lambda: resolver().num_accelerators(
        config_proto="x"
    ),
    "Iterator.make_initializer": lambda: tf.data.Iterator.from_structure(
        tf.float32
    ).make_initializer(tf.float32),
    "Topology.core_at": lambda: topology().core_at(5),
    "Topology.core_index: task": lambda: topology().core_index("a", "b"),
    "draw: format": lambda: topology().draw(format=np.ones(2)),
}


@pytest.mark.parametrize("argument", CALLS)
def test_the_message_names_the_argument(argument: str) -> None:
    with pytest.raises(TypeError, match=r"(must be|expected) .*got") as raised:
        CALLS[argument]()
    assert argument in str(raised.value)


def test_a_name_is_checked_in_eager_mode_too() -> None:
    with tf.eager_execution(), pytest.raises(TypeError, match="name must be a string"):
        tf.add(1, 2, name=1.5)


def test_text_without_a_form_in_utf_8() -> None:
    with pytest.raises(ValueError, match=r"'\\udcff' has no form in UTF-8"):
        tf.constant("\udcff")


@pytest.mark.parametrize("convert", [tf.constant, tf.convert_to_tensor, tf.stack])
def test_a_list_that_contains_itself_is_no_tensor(convert: Any) -> None:
    contained: list[Any] = [1]
    contained.append(contained)
    twice: list[Any] = []
    twice += [twice, twice]
    for value in (contained, twice):
        with pytest.raises(ValueError, match=r"contain.* itself|themselves|ragged"):
            convert(value)


@pytest.mark.parametrize("shard", [tf.tpu.shard, tf.tpu.batch_parallel])
def test_too_many_shards(shard: Any) -> None:
    with pytest.raises(ValueError, match=r"num_shards asks for 9223372036854775808"):
        shard(lambda: tf.constant(1.0), num_shards=2**63)


def test_too_many_replicas() -> None:
    with pytest.raises(ValueError, match=r"inputs asks for 65537 replicas"):
        tf.tpu.replicate(lambda: None, inputs=[[]] * 65537)


def test_more_axes_than_tensors_have() -> None:
    with pytest.raises(ValueError, match=r"tf.tensordot: axes must be at most 64"):
        tf.tensordot([1], [1], 2**63 - 1)


@pytest.mark.parametrize("dtype", [tf.int8, tf.float32])
def test_an_array_does_not_lose_its_imaginary_part(dtype: Any) -> None:
    with pytest.raises(TypeError, match=r"expected (int8|float32), got .*tf\.cast"):
        tf.constant(np.array([1 + 2j]), dtype)
