"""What can be called: public functions, classes, and methods of their instances."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import tpuref as tf
from tpuref.python.tpu import tpu_function
from tpuref.python.training import moving_averages

from .specimens import SPECIMENS

NAMESPACES: dict[str, ModuleType] = {
    "tf": tf,
    "tf.bitwise": tf.bitwise,
    "tf.contrib.cluster_resolver": tf.contrib.cluster_resolver,
    "tf.contrib.distribute": tf.contrib.distribute,
    "tf.contrib.data": tf.contrib.data,
    "tf.contrib.framework": tf.contrib.framework,
    "tf.contrib.layers": tf.contrib.layers,
    "tf.contrib.lookup": tf.contrib.lookup,
    "tf.contrib.opt": tf.contrib.opt,
    "tf.contrib.summary": tf.contrib.summary,
    "tf.contrib.tpu": tf.contrib.tpu,
    "tf.contrib.training": tf.contrib.training,
    "tf.data": tf.data,
    "tf.data.experimental": tf.data.experimental,
    "tf.estimator": tf.estimator,
    "tf.experimental.dlpack": tf.experimental.dlpack,
    "tf.initializers": tf.initializers,
    "tf.io": tf.io,
    "tf.keras.losses": tf.keras.losses,
    "tf.keras.metrics": tf.keras.metrics,
    "tf.keras.optimizers": tf.keras.optimizers,
    "tf.layers": tf.layers,
    "tf.linalg": tf.linalg,
    "tf.losses": tf.losses,
    "tf.math": tf.math,
    "tf.metrics": tf.metrics,
    "tf.nest": tf.nest,
    "tf.nn": tf.nn,
    "tf.profiler": tf.profiler,
    "tf.profiler.experimental": tf.profiler.experimental,
    "tf.random": tf.random,
    "tf.strings": tf.strings,
    "tf.summary": tf.summary,
    "tf.tpu": tf.tpu,
    "tf.train": tf.train,
    "moving_averages": moving_averages,
    "tpu_function": tpu_function,
}

LEFT_OUT = {
    "tf.contrib.cluster_resolver.TPUClusterResolver": "asks the network",
    "tf.contrib.cluster_resolver.ClusterResolver": "is abstract",
    "tf.contrib.distribute.MirroredVariable": "is made by strategies",
    "tf.contrib.distribute.TowerContext": "is made by strategies",
    "tf.contrib.distribute.TowerLocalVariable": "is made by strategies",
    "tf.data.Dataset": "is made by its functions, not by users",
    "tf.data.Iterator": "is made by datasets",
    "tf.DType": "is made once for each type",
    "tf.InteractiveSession": "stays the default session after the call",
    "tf.contrib.tpu.outfeed_dequeue": "waits for a core until the deadline",
    "tf.contrib.tpu.outfeed_dequeue_tuple": "waits for a core until the deadline",
    "tf.train.SessionCreator": "is abstract",
    "tf.Operation": "is made by functions",
    "tf.Tensor": "is made by functions",
    "tf.contrib.training.checkpoints_iterator": "waits for checkpoints",
    "tf.contrib.training.python": "is a package",
    "tf.train.checkpoints_iterator": "waits for checkpoints",
    "tf.profiler.start": "runs until it is stopped",
    "tf.profiler.experimental.start": "runs until it is stopped",
    "tf.enable_eager_execution": "holds for the whole process",
    "tf.Module": "begins eager mode",
    "tf.disable_eager_execution": "holds for the whole process",
    "tf.disable_v2_behavior": "holds for the whole process",
    "tf.enable_v2_behavior": "holds for the whole process",
    "tf.disable_tensor_equality": "holds for the whole process",
    "tf.disable_v2_tensorshape": "holds for the whole process",
    "tf.enable_tensor_equality": "holds for the whole process",
    "tf.enable_v2_tensorshape": "holds for the whole process",
    "tf.function": "begins eager mode",
    "tf.reset_default_graph": "empties the graph of the test",
    "tf.train.Server": "listens",
}
"""What is not called, and why."""

MADE_FOR_TPUREF = {
    "Dataset": {"apply"},  # any function will do, and its errors are its own
    "Graph": {
        "check_accessible",
        "create_operation",
        "in_region",
        "in_scopes",
        "in_tower",
        "on_host",
        "outside_regions",
        "scopes_in_force",
        "draw",  # starts Graphviz
    },
    "BatchNormalization": {"call"},  # called by __call__, once it is built
    "Conv2D": {"call"},
    "Dense": {"call"},
    "GradientTape": {"record", "record_read"},
    "Coordinator": {"wait_for_stop"},  # waits
    "Operation": {"captured_inputs", "describe", "tower"},
    "Tensor": {"know_constant", "operand"},
}
"""Methods of public classes that are tpuref's own, wait, or call what they get."""

OPERATORS = (
    *("__add__", "__radd__", "__sub__", "__mul__", "__truediv__", "__floordiv__"),
    *("__mod__", "__pow__", "__matmul__", "__and__", "__or__", "__lt__", "__eq__"),
    *("__getitem__", "__contains__", "__call__"),
)


@dataclass(frozen=True)
class Callee:
    """What is called.

    Attributes
    ----------
    name
        Its dotted name; a method has its class instead of the instance.
    owner
        Makes the instance of a method; None for a function.
    attribute
        The name of the method, or of a property to be read.
    function
        The function, where there is no instance.
    """

    name: str
    owner: Callable[[], Any] | None = None
    attribute: str = ""
    function: Any = None

    def bound(self) -> Any:
        """Return what to call; None for a property, which this reads."""
        if self.owner is None:
            return self.function
        instance = self.owner()
        if not hasattr(instance, self.attribute) and tf.executing_eagerly():
            return None  # an eager iterator has no initializer, for example
        found = getattr(instance, self.attribute)
        return None if isinstance(self.function, property) else found

    def documented(self) -> str:
        """The docstring, which may name errors, and those that it refers to."""
        found = inspect.getdoc(self.function) or ""
        known = getattr(self.function, "__globals__", {})
        twins = re.findall(r"errors are those of `(\w+)`", found)
        others = (inspect.getdoc(known.get(one)) or "" for one in twins)
        return "\n".join([found, *others])


def callees() -> list[Callee]:
    """Return all of them, in an order that stays."""
    found: dict[int, Callee] = {}
    for prefix, namespace in NAMESPACES.items():
        for name in dir(namespace):
            value = getattr(namespace, name)
            full = f"{prefix}.{name}"
            if name.startswith("_") or full in LEFT_OUT or not callable(value):
                continue
            found.setdefault(id(value), Callee(full, function=value))
    return [*found.values(), *_methods()]


def _methods() -> list[Callee]:
    return [
        Callee(f"{type_name}.{name}", make, name, getattr(cls, name))
        for type_name, (cls, make) in SPECIMENS.items()
        for name in dir(cls)
        if callable(getattr(cls, name)) or isinstance(getattr(cls, name), property)
        if name not in MADE_FOR_TPUREF.get(type_name, ())
        and (not name.startswith("_") or _is_operator(cls, name))
    ]


def _is_operator(cls: type, name: str) -> bool:
    return name in OPERATORS and getattr(cls, name) is not getattr(object, name, None)
