"""Arguments of the wrong type raise an error that names function and argument."""

import numpy as np
import pytest

import tpuref as tf


def resolver():
    return tf.distribute.cluster_resolver.TPUClusterResolver("local")


def local_strategy():
    return tf.contrib.distribute.TPUStrategy(resolver(), 1, num_cores=2)


def topology():
    return tf.contrib.tpu.Topology.for_mesh(2, 2, 2)


def assignment():
    return tf.contrib.tpu.device_assignment(topology(), num_replicas=2)


CALLS = {
    "Add: name": lambda: tf.add(1, 2, name=1.5),
    "tf.assign: ref": lambda: tf.assign(-1, 2),
    "tf.set_random_seed: seed": lambda: tf.set_random_seed(float("inf")),
    "tf.random_uniform: seed": lambda: tf.random_uniform([2], seed=float("nan")),
    "tf.nn.log_softmax: axis": lambda: tf.nn.log_softmax([1.0], axis=float("inf")),
    "tf.Session: config": lambda: tf.Session(config=7),
    "tf.Session.run: options": lambda:
        tf.Session().run(tf.constant(1), options=3, run_metadata=tf.RunMetadata()),
    "session must be": lambda: tf.constant(1).eval(session=topology()),
    "PerDevice: index": lambda: tf.contrib.distribute.PerDevice([1, 2]),
    "TPUStrategy.configure": lambda: local_strategy().configure(session_config=[]),
    "Iterator.make_initializer": lambda:
        tf.data.Iterator.from_structure(tf.float32).make_initializer(tf.float32),
    "control_dependencies: control_inputs": lambda: tf.with_dependencies(5, 1),
    "tf.concat: values": lambda: tf.concat(3, 0),
    "tf.get_variable: custom_getter": lambda: tf.get_variable("v", [], custom_getter=7),
    "tf.get_variable: regularizer": lambda: tf.get_variable("v", [], regularizer=7),
    "tf.nn.l2_normalize: epsilon": lambda: tf.nn.l2_normalize([1.0], epsilon=len),
    "tf.nn.leaky_relu: alpha": lambda: tf.nn.leaky_relu([1.0], alpha=[]),
    "tf.py_func: func": lambda: tf.py_func(5, [1.0], tf.int32),
    "tf.stack: values": lambda: tf.stack(3, axis=1),
    "tf.strided_slice: a mask": lambda: tf.strided_slice([1], [0], [1], end_mask=1.5),
    "the name of a collection": lambda: tf.Graph().get_collection([]),
    "Graph.get_collection: scope": lambda: tf.Graph().get_collection("x", scope=[]),
    "TensorShape: an index": lambda: tf.TensorShape([2])[1.5],
    "TPUStrategy.run: kwargs": lambda: local_strategy().run(len, kwargs=3),
    "DeviceAssignment.lookup_replicas: task_id": lambda:
        assignment().lookup_replicas(np.ones(2), 0),
    "Topology.core_at": lambda: topology().core_at(5),
    "tf.train.load_checkpoint: ckpt_dir_or_file": lambda:
        tf.train.load_variable(7, "x"),
    "proto: all_model_checkpoint_timestamps": lambda:
        (tf.train.generate_checkpoint_state_proto("/nowhere", "m",
        all_model_checkpoint_timestamps=["x"])),
    "tf.train.CheckpointManager: max_to_keep": lambda:
        tf.train.CheckpointManager(tf.train.Checkpoint(), "/nowhere", (1, "a")),
    "tf.train.Saver: keep_checkpoint_every_n_hours": lambda:
        tf.train.Saver(keep_checkpoint_every_n_hours=[]),
    "tf.io.gfile.glob: each pattern": lambda: tf.io.gfile.glob(["x", 3]),
    "tf.train.BytesList: expected fields by name": lambda: tf.train.BytesList(7),
    "tf.parse_example: features": lambda: tf.parse_example(["x"], "abc"),
    "Dataset.apply": lambda: tf.data.Dataset.range(3).apply(tf.bool),
    "tf.data.make_one_shot_iterator: dataset": lambda:
        tf.data.make_one_shot_iterator(7),
    "tf.sparse.to_dense: sp_input": lambda: tf.sparse.to_dense(np.int32(1)),
    "draw: format": lambda: topology().draw(format=np.ones(2)),
    "tf.train.global_step: sess": lambda: tf.train.global_step(int, 2),
    "tf.scatter_add: ref": lambda: tf.scatter_add(np.ones(2), [0], [1.0]),
    "layer: units": lambda: tf.layers.Dense([2], name="layer"),
    "tf.layers.Flatten: name": lambda: tf.layers.flatten(np.ones(2), name=[[2]]),
    "layer: inputs": lambda: tf.layers.dropout("text", name="layer"),
    "tf.metrics.auc: thresholds": lambda: tf.metrics.auc([1], [1.0], thresholds=3),
}  # fmt: skip


@pytest.mark.parametrize("argument", CALLS)
def test_the_message_names_the_argument(argument):
    with pytest.raises(TypeError, match=r"(must be|expected) .*got") as raised:
        CALLS[argument]()
    assert argument in str(raised.value)


def test_a_name_is_checked_in_eager_mode_too():
    with tf.eager_execution(), pytest.raises(TypeError, match="name must be a string"):
        tf.add(1, 2, name=1.5)


@pytest.mark.parametrize("convert", [tf.constant, tf.convert_to_tensor, tf.stack])
def test_a_list_that_contains_itself_is_no_tensor(convert):
    contained = [1]
    contained.append(contained)
    twice = []
    twice += [twice, twice]
    for value in (contained, twice):
        with pytest.raises(ValueError, match=r"contain.* itself|themselves|ragged"):
            convert(value)


def test_a_dataset_of_lists_nested_too_deep():
    nested = 1.0
    for _ in range(2000):
        nested = [nested]
    with pytest.raises(ValueError, match="are nested more than 64 deep"):
        tf.data.Dataset.from_tensor_slices([nested])


@pytest.mark.parametrize("dtype", [tf.int8, tf.float32])
def test_an_array_does_not_lose_its_imaginary_part(dtype):
    with pytest.raises(TypeError, match=r"expected (int8|float32), got .*tf\.cast"):
        tf.constant(np.array([1 + 2j]), dtype)


SHARDS = r"num_shards asks for 9223372036854775808"
RANK = r"expected rank \d or more, got .*E117"
REFUSED = [
    (lambda: tf.constant("\udcff"), r"'\\udcff' has no form in UTF-8"),
    (lambda: tf.tpu.shard(lambda: tf.constant(1.0), num_shards=2**63), SHARDS),
    (lambda: tf.tpu.batch_parallel(lambda: tf.constant(1.0), num_shards=2**63), SHARDS),
    (lambda: tf.tpu.replicate(lambda: None, inputs=[[]] * 65537), "for 65537 replicas"),
    (lambda: tf.sequence_mask([2**63]), "range has 9223372036854775808 elements"),
    (lambda: tf.split([1.0], 2**63 - 1), "1 to 1048576 parts, got 92233720"),
    (lambda: tf.tensordot([1], [1], 2**63 - 1), "tensordot: axes must be at most 64"),
    (lambda: tf.nn.compute_average_loss(1.0), RANK),
    (lambda: tf.nn.lrn(1.0), RANK),
    (lambda: tf.layers.flatten(1.0), RANK),
]


@pytest.mark.parametrize(("call", "message"), REFUSED)
def test_values_that_no_tensor_can_have(call, message):
    with pytest.raises(ValueError, match=message):
        call()
