"""Every public namespace lists what is public, and nothing else."""

from __future__ import annotations

import importlib
import inspect
import operator
from types import ModuleType
from typing import Any
from unittest import mock

import pytest

import tpuref as tf

NAMES = [
    "app",
    "autograph",
    "autograph.experimental",
    "app.flags",
    "bitwise",
    "compat",
    "compat.strategy_names",
    "compat.v1",
    "compat.v2",
    "compat.v2.summary",
    "contrib",
    "contrib.cloud",
    "contrib.cluster_resolver",
    "contrib.data",
    "contrib.distribute",
    "contrib.estimator",
    "contrib.framework",
    "contrib.layers",
    "contrib.lookup",
    "contrib.opt",
    "contrib.summary",
    "contrib.tpu",
    "contrib.tpu.ops",
    "contrib.tpu.python",
    "contrib.tpu.python.ops",
    "contrib.tpu.python.tpu",
    "contrib.training",
    "contrib.training.python",
    "contrib.training.python.training",
    "contrib.training.python.training.evaluation",
    "core",
    "core.protobuf",
    "core.protobuf.config_pb2",
    "core.protobuf.rewriter_config_pb2",
    "data",
    "data.experimental",
    "distribute",
    "distribute.cluster_resolver",
    "distribute.experimental",
    "dtypes",
    "errors",
    "estimator",
    "estimator.export",
    "estimator.inputs",
    "estimator.tpu",
    "experimental",
    "experimental.dlpack",
    "flags",
    "gfile",
    "initializers",
    "io",
    "io.gfile",
    "keras",
    "keras.losses",
    "keras.metrics",
    "keras.optimizers",
    "layers",
    "linalg",
    "logging",
    "losses",
    "math",
    "metrics",
    "nest",
    "nn",
    "nn.rnn_cell",
    "optimizers",
    "optimizers.schedules",
    "profiler",
    "profiler.experimental",
    "python",
    "python.client",
    "python.client.device_lib",
    "python.client.session",
    "python.data",
    "python.data.ops",
    "python.data.ops.dataset_ops",
    "python.data.util",
    "python.data.util.nest",
    "python.estimator",
    "python.estimator.estimator",
    "python.framework",
    "python.framework.constant_op",
    "python.framework.dtypes",
    "python.framework.errors",
    "python.framework.errors_impl",
    "python.framework.ops",
    "python.ops",
    "python.ops.array_ops",
    "python.ops.check_ops",
    "python.ops.control_flow_ops",
    "python.ops.control_flow_util",
    "python.ops.gradients",
    "python.ops.init_ops",
    "python.ops.math_ops",
    "python.ops.random_ops",
    "python.ops.state_ops",
    "python.ops.variable_scope",
    "python.ops.variables",
    "python.platform",
    "python.platform.test",
    "python.platform.tf_logging",
    "python.pywrap_tensorflow",
    "python.tpu",
    "python.tpu.async_checkpoint",
    "python.tpu.bfloat16",
    "python.tpu.device_assignment",
    "python.tpu.ops",
    "python.tpu.ops.tpu_ops",
    "python.tpu.topology",
    "python.tpu.tpu",
    "python.tpu.tpu_config",
    "python.tpu.tpu_estimator",
    "python.tpu.tpu_feed",
    "python.tpu.tpu_function",
    "python.tpu.tpu_optimizer",
    "python.tpu.training_loop",
    "python.training",
    "python.training.basic_session_run_hooks",
    "python.training.monitored_session",
    "python.training.moving_averages",
    "python.training.server_lib",
    "python.training.session_run_hook",
    "python.training.training",
    "python.training.training_util",
    "python.util",
    "python.util.nest",
    "python_io",
    "random",
    "sparse",
    "strings",
    "summary",
    "test",
    "tpu",
    "tpu.experimental",
    "train",
]

NAMESPACES: dict[str, Any] = {
    "tf": tf,
    **{f"tf.{name}": operator.attrgetter(name)(tf) for name in NAMES},
}

ABSL = ("tf.flags", "tf.app.flags")
"""Those of the library absl, which the documents name."""

SHORT = {
    "tf.bitwise": "bitwise_and bitwise_or bitwise_xor invert left_shift right_shift",
    "tf.compat": "as_bytes as_str as_str_any as_text dimension_value strategy_names v1 "
    "v2",
    "tf.contrib": "cloud cluster_resolver data distribute estimator framework "
    "layers lookup opt summary tpu training",
    "tf.contrib.layers": "fully_connected l1_regularizer l2_regularizer layer_norm "
    "variance_scaling_initializer xavier_initializer xavier_initializer_conv2d",
    "tf.contrib.tpu.ops": "gen_tpu_ops",
    "tf.contrib.tpu.python": "ops tpu",
    "tf.data": "AUTOTUNE Dataset FixedLengthRecordDataset Iterator Options "
    "TFRecordDataset TextLineDataset experimental make_initializable_iterator "
    "make_one_shot_iterator",
    "tf.distribute": "CrossDeviceOps DistributedValues HierarchicalCopyAllReduce "
    "InputContext MirroredStrategy MultiWorkerMirroredStrategy NcclAllReduce "
    "OneDeviceStrategy ReduceOp ReductionToOneDevice ReplicaContext RunOptions "
    "Strategy TPUStrategy ValueContext cluster_resolver experimental "
    "get_replica_context get_strategy has_strategy in_cross_replica_context",
    "tf.experimental": "dlpack",
    "tf.experimental.dlpack": "from_dlpack to_dlpack",
    "tf.nest": "assert_same_structure flatten flatten_with_paths is_nested "
    "map_structure pack_sequence_as",
    "tf.python": "client data estimator framework ops platform pywrap_tensorflow tpu "
    "training util",
    "tf.python.tpu": "async_checkpoint bfloat16 device_assignment ops topology tpu "
    "tpu_config tpu_estimator tpu_feed tpu_function tpu_optimizer training_loop",
    "tf.random": "categorical get_seed multinomial normal set_random_seed set_seed "
    "shuffle truncated_normal uniform",
    "tf.tpu.experimental": "DeviceAssignment Topology initialize_tpu_system "
    "shutdown_tpu_system",
}


def public(module: str) -> list[object]:
    """What a module says is public: ``__all__``, or everything."""
    home = importlib.import_module(module)
    return [getattr(home, name) for name in getattr(home, "__all__", None) or dir(home)]


def listed(namespace: ModuleType) -> list[str]:
    return [name for name in dir(namespace) if not name.startswith("_")]


@pytest.mark.parametrize("name", NAMESPACES)
def test_what_is_listed_is_public(name: str) -> None:
    for attribute in listed(NAMESPACES[name]):
        value = getattr(NAMESPACES[name], attribute)
        if isinstance(value, ModuleType):
            known = (*NAMESPACES.values(), mock)  # that is tf.test.mock
            assert value in known, f"{attribute} is no namespace"
        elif inspect.isclass(value) or inspect.isfunction(value):
            home = value.__module__
            owners = ("absl.",) if name in ABSL else ("tpuref.",)
            assert home.startswith(owners), f"{attribute} is foreign"
            assert name in {*SHORT, *ABSL} or value in public(value.__module__), (
                f"{attribute} is internal"
            )
        else:
            assert "_Feature" not in repr(value), f"{attribute} is of __future__"


@pytest.mark.parametrize("name", SHORT)
def test_short_namespaces_in_full(name: str) -> None:
    assert listed(NAMESPACES[name]) == SHORT[name].split()


def test_the_names_of_tf_are_those_of_compat_v1_and_a_few() -> None:
    more = {"compat", "contrib", "core", "experimental", "profiler", "python"}
    assert set(listed(tf)) == {*listed(tf.compat.v1), *more}
