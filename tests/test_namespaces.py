"""Every public namespace lists what is public, and nothing else."""

from __future__ import annotations

import importlib
import inspect
from types import ModuleType

import pytest

import tpuref as tf

NAMESPACES = {
    "tf": tf,
    "tf.bitwise": tf.bitwise,
    "tf.compat": tf.compat,
    "tf.compat.strategy_names": tf.compat.strategy_names,
    "tf.compat.v1": tf.compat.v1,
    "tf.contrib": tf.contrib,
    "tf.contrib.cluster_resolver": tf.contrib.cluster_resolver,
    "tf.contrib.distribute": tf.contrib.distribute,
    "tf.contrib.tpu": tf.contrib.tpu,
    "tf.contrib.tpu.python": tf.contrib.tpu.python,
    "tf.contrib.tpu.python.ops": tf.contrib.tpu.python.ops,
    "tf.contrib.tpu.python.tpu": tf.contrib.tpu.python.tpu,
    "tf.data": tf.data,
    "tf.distribute": tf.distribute,
    "tf.distribute.cluster_resolver": tf.distribute.cluster_resolver,
    "tf.errors": tf.errors,
    "tf.experimental": tf.experimental,
    "tf.experimental.dlpack": tf.experimental.dlpack,
    "tf.linalg": tf.linalg,
    "tf.math": tf.math,
    "tf.nest": tf.nest,
    "tf.nn": tf.nn,
    "tf.profiler": tf.profiler,
    "tf.profiler.experimental": tf.profiler.experimental,
    "tf.python": tf.python,
    "tf.python.tpu": tf.python.tpu,
    "tf.python.tpu.bfloat16": tf.python.tpu.bfloat16,
    "tf.python.tpu.device_assignment": tf.python.tpu.device_assignment,
    "tf.python.tpu.ops": tf.python.tpu.ops,
    "tf.python.tpu.ops.tpu_ops": tf.python.tpu.ops.tpu_ops,
    "tf.python.tpu.topology": tf.python.tpu.topology,
    "tf.python.tpu.tpu": tf.python.tpu.tpu,
    "tf.python.tpu.tpu_feed": tf.python.tpu.tpu_feed,
    "tf.python.tpu.tpu_function": tf.python.tpu.tpu_function,
    "tf.python.tpu.training_loop": tf.python.tpu.training_loop,
    "tf.random": tf.random,
    "tf.tpu": tf.tpu,
    "tf.tpu.experimental": tf.tpu.experimental,
    "tf.train": tf.train,
}

SHORT = {
    "tf.bitwise": "bitwise_and bitwise_or bitwise_xor invert left_shift right_shift",
    "tf.compat": "strategy_names v1",
    "tf.contrib": "cluster_resolver distribute tpu",
    "tf.contrib.tpu.python": "ops tpu",
    "tf.data": "Dataset Iterator",
    "tf.distribute": "cluster_resolver",
    "tf.experimental": "dlpack",
    "tf.experimental.dlpack": "from_dlpack to_dlpack",
    "tf.nest": "assert_same_structure flatten flatten_with_paths is_nested "
    "map_structure pack_sequence_as",
    "tf.python": "tpu",
    "tf.python.tpu": "bfloat16 device_assignment ops topology tpu tpu_feed "
    "tpu_function training_loop",
    "tf.random": "categorical get_seed multinomial normal set_random_seed shuffle "
    "truncated_normal uniform",
    "tf.tpu.experimental": "DeviceAssignment Topology",
    "tf.train": "ClusterDef ClusterSpec JobDef Server ServerDef",
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
            assert value in NAMESPACES.values(), f"{attribute} is no namespace"
        elif inspect.isclass(value) or inspect.isfunction(value):
            assert value.__module__.startswith("tpuref."), f"{attribute} is foreign"
            assert name in SHORT or value in public(value.__module__), (
                f"{attribute} is internal"
            )
        else:
            assert "_Feature" not in repr(value), f"{attribute} is of __future__"


@pytest.mark.parametrize("name", SHORT)
def test_short_namespaces_in_full(name: str) -> None:
    assert listed(NAMESPACES[name]) == SHORT[name].split()


def test_the_names_of_tf_are_those_of_compat_v1_and_a_few() -> None:
    more = {"compat", "contrib", "experimental", "profiler", "python"}
    assert set(listed(tf)) == {*listed(tf.compat.v1), *more}
