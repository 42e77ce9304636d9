"""Advice for names of TensorFlow that tpuref lacks.

Each entry has patterns and a sentence.  The first pattern decides that matches the
name, or a beginning of it that is missing as well: ``keras`` stands for all of
``keras.layers.Dense``.  ``*`` stands for anything without a dot, ``**`` for anything.
"""

import functools
import re
from collections.abc import Iterable
from typing import NamedTuple


class WayOut(NamedTuple):
    """The advice for some names."""

    patterns: str
    sentence: str


def way_out(names: Iterable[str]) -> str:
    """Return the advice for a name, empty where there is none.

    >>> way_out(["py_function"])
    'Use tf.py_func.'
    """
    for name in names:
        for pattern, sentence in _patterns():
            if pattern.fullmatch(name):
                return sentence
    return ""


@functools.cache
def _patterns() -> list[tuple[re.Pattern[str], str]]:
    return [
        (_expression(pattern), entry.sentence)
        for entry in WAYS_OUT
        for pattern in entry.patterns.split()
    ]


def _expression(pattern: str) -> re.Pattern[str]:
    anything = {"**": ".*", "*": "[^.]*"}
    parts = re.split(r"(\*\*?)", pattern)
    return re.compile("".join(anything.get(part, re.escape(part)) for part in parts))


OPERATION = (
    "Write it with operations that tpuref has, or compute it with NumPy in tf.py_func."
)
"""What to do about a function of TensorFlow that has no entry."""

WAYS_OUT = (
    # -- modes
    WayOut(
        "disable_resource_variables disable_control_flow_v2",
        "Remove the call: tpuref builds graphs, as TensorFlow 1.15 does.",
    ),
    WayOut(
        "autograph.*",
        "Use tf.function, which traces and rewrites no Python, with tf.cond and "
        "tf.while_loop instead of if and while over tensors.",
    ),
    WayOut(
        "ConfigProto.* RunOptions.* "
        "RunMetadata.* config.*_jit config.experimental.* config.threading.* "
        "config.optimizer.* config.*_visible_devices core.protobuf.config_pb2.*",
        "Remove it: there is no device whose memory or compiler could be configured.",
    ),
    WayOut("Session.*", "Use session.run."),
    WayOut(
        "Variable.*",
        "Compute the new value from the old one, for example with "
        "tf.tensor_scatter_update, and assign it with variable.assign.",
    ),
    # -- the TPU system
    WayOut("config.experimental_list_devices", "Use tf.config.list_logical_devices."),
    WayOut(
        "config.experimental_connect_to_host",
        "Use tf.config.experimental_connect_to_cluster with a tf.train.ClusterSpec.",
    ),
    WayOut(
        "tpu.experimental.embedding* tpu.experimental.*Parameters "
        "tpu.experimental.shared_embedding_columns estimator.tpu.experimental.* "
        "feature_column contrib.feature_column",
        "Keep the table in a variable, and look rows up with tf.nn.embedding_lookup.",
    ),
    WayOut(
        "contrib.tpu.**_context "
        "contrib.tpu.**.session_support contrib.tpu.**.error_handling "
        "contrib.tpu.tpu estimator.python.estimator.tpu python.tpu.tpu_context",
        "Use the names under tf.contrib.tpu, such as tf.contrib.tpu.TPUEstimator.",
    ),
    WayOut(
        "contrib.tpu.keras_to_tpu_model contrib.tpu.TPUDistributionStrategy",
        "Install the extra keras, call tf.compat.v1.enable_v2_behavior(), and create "
        "and compile the model in tf.distribute.TPUStrategy(resolver).scope().",
    ),
    WayOut("python.distribute.tpu_strategy", "Use tf.distribute.TPUStrategy."),
    WayOut(
        "distribute.* distribute.experimental.* contrib.distribute.* "
        "python.distribute.*",
        "Use tf.distribute.TPUStrategy, MirroredStrategy or OneDeviceStrategy, the "
        "strategies that tpuref has.",
    ),
    WayOut(
        "contrib.distribute.*Strategy.* distribute.*Strategy.* "
        "distribute.StrategyExtended.*",
        "Use the strategy's run and reduce; tf.contrib.distribute.TPUStrategy has "
        "run_steps_on_dataset.",
    ),
    WayOut(
        "distribute.cluster_resolver.* contrib.cluster_resolver.*",
        "Use TPUClusterResolver, the resolver that tpuref has.",
    ),
    WayOut("linalg.lstsq matrix_solve_ls", "Use tf.linalg.pinv and tf.matmul."),
    WayOut(
        "assert_non_negative debugging.assert_non_negative",
        "Use tf.assert_greater_equal(x, 0).",
    ),
    WayOut(
        "assert_rank* debugging.assert_rank*",
        "Use tf.ensure_shape, or compare tf.rank with tf.assert_equal.",
    ),
    WayOut(
        "nn.weighted_cross_entropy_with_logits",
        "For labels of 0 and 1, multiply tf.nn.sigmoid_cross_entropy_with_logits by "
        "1 + (pos_weight - 1) * labels.",
    ),
    # -- training
    WayOut(
        "gradient* recompute_grad autodiff.* RegisterGradient NoGradient "
        "NotDifferentiable contrib.eager.GradientTape grad_pass_through",
        "Use tf.gradients or tf.GradientTape, and tf.custom_gradient for a function "
        "with a gradient of its own.",
    ),
    WayOut(
        "train.*Optimizer train.*_decay "
        "optimizers.* contrib.opt.* "
        "contrib.layers.optimize_loss train.experimental mixed_precision "
        "contrib.mixed_precision contrib.optimizer_v2",
        "Use another optimizer or decay of tf.train, or write a subclass of "
        "tf.train.Optimizer.",
    ),
    WayOut(
        "contrib.framework.*checkpoint* contrib.training.*checkpoint*",
        "Use tf.train.Saver, tf.train.init_from_checkpoint or "
        "tf.train.load_checkpoint.",
    ),
    WayOut(
        "python.training.checkpoint* python.training.saver.*",
        "Use the names under tf.train, such as tf.train.Saver and "
        "tf.train.NewCheckpointReader.",
    ),
    WayOut(
        "saved_model contrib.saved_model python.saved_model contrib.predictor "
        "train.export_meta_graph train.import_meta_graph",
        "Save the variables with tf.train.Saver, and build the graph again to restore "
        "them.",
    ),
    WayOut(
        "graph_util import_graph_def GraphDef train.write_graph io.write_graph "
        "Graph.as_graph_def",
        "Save the variables with tf.train.Saver, and build the graph again to restore "
        "them, without its training part: graphs are not written to files. "
        "tf.get_default_graph().get_operations() lists the operations.",
    ),
    WayOut(
        "train.Supervisor train.SessionManager train.basic_train_loop",
        "Use tf.train.MonitoredTrainingSession.",
    ),
    WayOut(
        "train.*QueueRunner* train.queue_runner train.*input_producer train.*batch "
        "train.batch_join train.LooperThread",
        "Read the data with tf.data.",
    ),
    WayOut(
        "estimator.* contrib.estimator.* contrib.learn",
        "Write a model function, and train it with tf.estimator.Estimator or "
        "tf.contrib.tpu.TPUEstimator.",
    ),
    # -- models
    WayOut(
        "contrib.layers.l1_regularizer contrib.slim.l1_regularizer",
        "Write lambda weights: scale * tf.reduce_sum(tf.abs(weights)).",
    ),
    WayOut(
        "keras.** contrib.keras python.keras",
        "In a program that runs eagerly, as tf.enable_v2_behavior() lets it, tf.keras "
        "is the real Keras 3. Install the extra: pip install 'tpuref[keras]'. In a "
        "program that builds graphs, use tf.layers and tf.train.",
    ),
    WayOut(
        "layers.* contrib.layers.* contrib.slim.* nn.rnn_cell.* nn.*_rnn contrib.rnn "
        "contrib.seq2seq contrib.cudnn_rnn contrib.recurrent contrib.nn "
        "contrib.framework.variable python.layers.*",
        "Use tf.layers, or write the layer as a subclass of tf.layers.Layer with "
        "functions such as tf.matmul, tf.nn.conv2d and tf.nn.relu.",
    ),
    WayOut(
        "losses.* contrib.losses",
        "Write the losses of elements with functions such as tf.squared_difference, "
        "and pass them to tf.losses.compute_weighted_loss.",
    ),
    WayOut(
        "contrib.metrics.streaming_*",
        "Use the metric of tf.metrics, which takes the labels first.",
    ),
    WayOut(
        "metrics.* contrib.metrics.*",
        "Compute the metric with NumPy or scikit-learn from what session.run returns.",
    ),
    WayOut(
        "distributions contrib.distributions",
        "Write the density down with tf.exp and tf.log, and draw with tf.random_normal "
        "and its kind.",
    ),
    WayOut(
        "lite contrib.lite contrib.quantize quantization contrib.quantization "
        "contrib.gan contrib.tensorrt contrib.boosted_trees contrib.timeseries "
        "contrib.bayesflow contrib.crf contrib.factorization mlir dtensor "
        "queue train.MetaGraph* MetaGraphDef NodeDef "
        "security load_library load_op_library load_file_system_library",
        "Leave this part out, or keep it in a process of its own with TensorFlow.",
    ),
    # -- data
    WayOut(
        "data.experimental.*Options",
        "Remove it: options of datasets have no effect in tpuref.",
    ),
    WayOut(
        "data.experimental.*Dataset data.experimental.make_csv_dataset "
        "io.TFRecord* "
        "io.*_csv decode_csv io.decode_* decode_* io.parse_* parse_* "
        "contrib.data.TFRecordDataset TFRecordReader WholeFileReader "
        "io.write_file write_file",
        "Give the paths to tf.data.TFRecordDataset, for example those that "
        "tf.io.gfile.glob finds, or read the files with Python and hand the arrays "
        "over with tf.data.Dataset.from_generator.",
    ),
    WayOut(
        "data.* data.Dataset.* contrib.data.*",
        "Do this part with Python, and hand the arrays to "
        "tf.data.Dataset.from_generator.",
    ),
    WayOut("image.transpose", "Use tf.transpose with the axes [1, 0, 2]."),
    WayOut(
        "image.* contrib.image",
        "Prepare images with Pillow or NumPy, before tf.data.Dataset.from_generator "
        "or in tf.py_func.",
    ),
    WayOut(
        "strings.* string_* substr lookup.* contrib.lookup.* audio signal.* spectral",
        "Do this part with Python or NumPy before the data enters the graph, or in "
        "tf.py_func.",
    ),
    WayOut(
        "sparse.* sparse_* SparseTensor* RaggedTensor* ragged.* "
        "SparseConditionalAccumulator",
        "Use dense tensors: tf.scatter_nd makes one of indices and values, and "
        "dataset.padded_batch of rows of different lengths.",
    ),
    # -- around the program
    WayOut("flags.*", "Use it from absl.flags: the flags of tf.flags are absl's."),
    WayOut(
        "python.platform.app.* python.platform.gfile.* python.lib.io.**",
        "Use tf.app, tf.gfile and tf.python_io.",
    ),
    WayOut(
        "python.framework.test_util test.*",
        "Use tf.test.TestCase and numpy.testing, or pytest with the plugin of tpuref.",
    ),
    WayOut(
        "summary.* contrib.summary.* Summary.* contrib.tensorboard",
        "Use tf.summary.scalar, histogram, image, text, merge_all and FileWriter.",
    ),
    WayOut(
        "profiler.ProfileOptionBuilder profiler.experimental.client "
        "profiler.experimental.server profiler.* contrib.tfprof contrib.memory_stats",
        "Use tf.profiler.trace, which writes what the cores did.",
    ),
    WayOut(
        "version VERSION GIT_VERSION COMPILER_VERSION",
        "Use tf.__version__, the version of tpuref.",
    ),
    WayOut("resource_loader sysconfig", "Use importlib.resources."),
    WayOut(
        "compat.dimension_at_index dimension_value dimension_at_index",
        "Use dimension.value: shapes hold tf.Dimension, as in TensorFlow 1.15.",
    ),
    # -- operations
    WayOut("py_function", "Use tf.py_func."),
    WayOut("TensorArraySpec", "Use tf.while_loop, tf.map_fn or tf.unstack."),
    WayOut(
        "random.get_global_generator random.Generator random.stateless_* "
        "contrib.stateless",
        "Use tf.random_normal or tf.random_uniform with a seed.",
    ),
    WayOut("raw_ops.*", "Use the function of tf that the operation belongs to."),
    WayOut(
        "contrib.*",
        "Of tf.contrib, tpuref has tpu, distribute, cluster_resolver, and parts of "
        "cloud, data, estimator, framework, layers, lookup, opt, summary and training.",
    ),
    WayOut(
        "debugging.* dtypes.* manip.*",
        "Use the names that TensorFlow 1.15 has under tf itself, such as "
        "tf.assert_equal, tf.cast and tf.reshape.",
    ),
)
