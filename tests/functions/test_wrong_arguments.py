"""Wrong arguments raise an error that names function and argument, or what is wrong."""

import numpy as np
import pytest

import tpuref as tf

from ..random_calls.specimens import assignment, strategy, topology

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
    "TPUStrategy.configure": lambda: strategy().configure(session_config=[]),
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
    "TPUStrategy.run: kwargs": lambda: strategy().run(len, kwargs=3),
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


def add(a, b):
    return a + b


WRONG_TYPES = [
    (lambda: tf.expand_dims([1], 0.5), "tf.expand_dims: axis: expected an integer"),
    (lambda: tf.meshgrid([1], sparse=True), "sparse"),
    (lambda: tf.where([1, 0], [1, 2], [3, 4]), "bool"),
    (lambda: tf.reshape([1, 2], [2.0]), "index type"),
    (lambda: tf.concat([tf.constant([1]), tf.constant([1.0])], 0), "equal dtypes"),
    (lambda: tf.ones([2], tf.string), r"tf\.ones: dtype"),
    (lambda: tf.cast(tf.constant("text"), tf.int32), "no cast"),
    (lambda: tf.accumulate_n([[1.0]], tensor_dtype=tf.int32), "tensor_dtype is int32"),
    (lambda: tf.cumsum([1, 2], 0.5), r"tf\.cumsum: axis"),
    (lambda: tf.math.reduce_variance(tf.constant([1, 3])), "int32"),
    (lambda: tf.reduce_all(tf.constant([1, 0])), r"a boolean.*int32\[2\].*tf\.cast"),
    (lambda: tf.random_normal([2], dtype=tf.int32), "floating-point"),
    (lambda: tf.group(3), "expected a tensor"),
    (lambda: tf.constant(SQUARE)[tf.constant([0, 1])], "use tf.gather"),
    (lambda: tf.constant(SQUARE)[tf.constant(1.0)], "use tf.gather"),
    (lambda: tf.einsum("i->", [1.0], order="C"), r"unknown keywords \['order'\]"),
    (lambda: tf.tpu.shard(add, [ONES], num_shards=2), r"tpu\.shard: .* missing: 'b'"),
    (lambda: tf.tpu.batch_parallel(add, [ONES]), r"tpu\.shard: .* missing: 'b'"),
    (lambda: tf.tpu.replicate(add, [[ONES]] * 2), r"tpu\.replicate: .* missing: 'b'"),
    (lambda: tf.tpu.rewrite(add, []), r"tpu\.rewrite: .* missing: 'a', 'b'"),
    (
        lambda: tf.tpu.shard(add, [ONES], shards=8),
        r"shard\(\).*did you mean num_shards",
    ),
    (lambda: tf.tpu.rewrite(add, qq=1), r"rewrite\(\) has no argument 'qq'; it"),
    (lambda: tf.tpu.shard(add, [ONES], infeed_queue=3), r"tpu\.shard: infeed_queue"),
]


@pytest.mark.parametrize(("call", "message"), WRONG_TYPES)
def test_types_that_are_refused(call, message):
    with pytest.raises(TypeError, match=message):
        call()


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
IMAGE = np.arange(2 * 6 * 4 * 3, dtype=np.float32).reshape(2, 6, 4, 3) % 7
ONES, SQUARE = np.ones(2, np.float32), np.ones((2, 2), np.float32)
BOTH = {"transpose_a": True, "adjoint_a": True}
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
    (lambda: tf.expand_dims([1]), "axis is missing"),
    (lambda: tf.expand_dims([1], 0, dim=0), "axis and dim are the same argument"),
    (lambda: tf.squeeze([[1]], 0, squeeze_dims=[0]), "squeeze_dims"),
    (lambda: tf.where([True], x=[1]), "y is missing"),
    (lambda: tf.pad([1], [[0, 1]], "EDGE"), "got 'EDGE'"),
    (lambda: tf.split([1, 2], 0), "expected 1 to 1048576 parts, got 0"),
    (lambda: tf.split([1, 2], [-1, -1]), "one of which may be -1"),
    (lambda: tf.split([1, 2], [1, 1], num=3), "num is 3"),
    (lambda: tf.split([1, 2], [3, -1]), "exceed the size 2"),
    (lambda: tf.split([1, 2], []), "sizes of at least 0"),
    (lambda: tf.unstack(tf.placeholder(tf.int8, [None])), "give num"),
    (lambda: tf.matrix_transpose([1]), "rank of at least 2"),
    (lambda: tf.boolean_mask([1, 2, 3], [True]), "does not fit"),
    (lambda: tf.boolean_mask([1, 2, 3], True), "rank of at least 1"),
    (lambda: tf.meshgrid([1], indexing="no"), "'xy' or 'ij'"),
    (lambda: tf.transpose([[1]], tf.placeholder(tf.int32, [2])), "is unknown"),
    (lambda: tf.reshape([1, 2, 3], [2, 2]), "3 elements do not fill"),
    (lambda: tf.concat([[1], [[2]]], 0), "equal ranks"),
    (lambda: tf.nn.softmax(SQUARE, axis=0, dim=0), "axis and dim"),
    (lambda: tf.nn.bias_add(IMAGE, ONES, data_format="HWN"), "got 'HWN'"),
    (lambda: tf.nn.dropout(ONES), "got neither"),
    (lambda: tf.nn.dropout(ONES, rate=0.5, keep_prob=0.5), "got both"),
    (lambda: tf.nn.dropout(ONES, rate=1.0), "0 <= rate < 1"),
    (lambda: tf.nn.dropout(ONES, keep_prob=0.0), "0 <= rate < 1"),
    (lambda: tf.nn.dropout(ONES, keep_prob=1.5), "0 <= rate < 1"),
    (lambda: tf.nn.dropout([1, 2], rate=0.5), "floating-point"),
    (lambda: tf.nn.embedding_lookup(SQUARE, [[1, 0]], "row"), "got 'row'"),
    (lambda: tf.nn.conv2d(IMAGE, strides=1, padding="SAME"), "filter .* is missing"),
    (lambda: tf.nn.conv2d(IMAGE, IMAGE, padding="SAME"), "strides is missing"),
    (lambda: tf.nn.conv2d(IMAGE, IMAGE, [2, 1, 1, 1], "SAME"), "expected 1 for"),
    (lambda: tf.nn.conv2d(IMAGE, IMAGE, 0, "SAME"), "positive"),
    (lambda: tf.nn.conv2d(IMAGE, IMAGE, 1, "FULL"), "got 'FULL'"),
    (lambda: tf.nn.conv2d(IMAGE, IMAGE, 1, "SAME", data_format="CHWN"), "'CHWN'"),
    (lambda: tf.nn.max_pool(IMAGE, 2, 2, [[0, 0]] * 4), "'SAME' or 'VALID'"),
    (lambda: tf.nn.avg_pool(IMAGE, [1, 2, 2, 3], 2, "SAME"), "ksize"),
    (lambda: tf.matmul(SQUARE, [1.0, 2.0]), r"b must have at least rank 2.*matvec"),
    (lambda: tf.matmul(SQUARE, SQUARE, **BOTH), "both transposed and adjoint"),
    (lambda: tf.linalg.matvec(SQUARE, ONES, **BOTH), "both transposed and adjoint"),
    (lambda: tf.matmul(SQUARE, tf.ones([3, 2])),
     r"(?s)inner dimensions 2 and 3.*test_wrong_arguments"),
    (lambda: tf.einsum("i->"), "has no inputs"),
    (lambda: tf.trace(ONES), "rank 2 or more"),
    (lambda: tf.norm(SQUARE, ord=-1), "positive number or infinity for vectors"),
    (lambda: tf.norm(SQUARE, ord=2, axis=(0, 1)), "for matrices"),
    (lambda: tf.norm(SQUARE, axis=(0, 1, 2)), "one or two axes"),
    (lambda: tf.norm(SQUARE, keepdims=True, keep_dims=True), "keepdims and keep_dims"),
    (lambda: tf.add_n([]), r"tf\.add_n: inputs must be a list"),
    (lambda: tf.add_n(tf.constant(ONES)), r"tf\.add_n: inputs must be a list"),
    (lambda: tf.accumulate_n([ONES], shape=[3]), r"shape is \(3,\)"),
    (lambda: tf.scalar_mul([2.0], [1.0]), r"rank 0.*float32\[1\]"),
    (lambda: tf.clip_by_value(ONES, [[0], [0]], 5), "do not broadcast to the shape"),
    (lambda: tf.global_norm([None]), "at least one"),
    (lambda: np.flip(tf.ones([3, 4]), 2), "axis 2 does not exist in rank 2"),
    (lambda: np.split(tf.ones([3, 4]), 3, axis=1), "3 equal parts"),
    (lambda: np.moveaxis(tf.ones([3, 4]), [0], [0, 1]),
     "1 axes cannot move to 2 positions"),
    (lambda: np.diag(tf.ones([1, 3, 4])), "expected rank 1 or 2"),
    (lambda: np.ndim(tf.placeholder(tf.int8)), "rank .* is unknown"),
    (lambda: np.linalg.norm(tf.placeholder(tf.float32), 1), "give the axes"),
    (lambda: np.array_split(tf.placeholder(tf.int8, [None]), 2), "size of axis 0"),
    (lambda: tf.random_uniform([2], dtype=tf.int32), "maxval is missing"),
    (lambda: tf.random_uniform([2], dtype=tf.bool), "got bool"),
    (lambda: tf.sort(SQUARE, direction="UP"), "got 'UP'"),
    (lambda: tf.argsort(SQUARE, direction="UP"), "got 'UP'"),
    (lambda: tf.searchsorted([1.0], [1.0], side="middle"), "got 'middle'"),
    (lambda: tf.unique([[1, 2]]), "rank"),
    (lambda: tf.tuple([None]), "at least one"),
    (lambda: tf.variance_scaling_initializer(scale=0.0), "scale"),
    (lambda: tf.variance_scaling_initializer(scale=-1.0), "scale"),
    (lambda: tf.variance_scaling_initializer(mode="fan"), "'fan'"),
    (lambda: tf.variance_scaling_initializer(distribution="cauchy"), "'cauchy'"),
    (lambda: tf.constant_initializer([1, 2, 3])([2]), "do not fit"),
    (lambda: tf.strided_slice(ONES, [1, 2], [1]), "expected equal numbers"),
    (lambda: tf.tensordot([1.0], [1.0], -1), r"tf\.tensordot: axes must"),
    (lambda: tf.tensordot([1.0], [1.0], [0]), r"tf\.tensordot: axes must"),
    (lambda: tf.tensordot([1.0], [1.0], [[0]] * 3), r"tf\.tensordot: axes must"),
    (lambda: tf.tensordot([1.0], [1.0], "01"), r"tf\.tensordot: axes must"),
    (lambda: tf.diag_part(tf.ones([])), r"tf\.diag_part: .* some sizes twice"),
    (lambda: tf.diag_part(tf.ones([2])), r"tf\.diag_part: .* some sizes twice"),
    (lambda: tf.diag_part(tf.ones([2, 3])), r"tf\.diag_part: .* some sizes twice"),
    (lambda: tf.diag_part(tf.ones([2, 3, 3, 2])),
     r"tf\.diag_part: .* some sizes twice"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "message"), REFUSED)
def test_values_that_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
