"""What can be called: public functions, classes, and methods of their instances."""

import enum
import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import tpuref as tf
from tpuref.python.tpu import tpu_function
from tpuref.python.training import moving_averages

from .specimens import SPECIMENS

NAMES = (
    "bitwise contrib.cluster_resolver contrib.distribute contrib.data "
    "contrib.framework contrib.layers contrib.lookup contrib.opt contrib.summary "
    "contrib.tpu contrib.training data data.experimental estimator "
    "initializers io keras.losses keras.metrics keras.optimizers "
    "layers linalg losses math metrics nest nn profiler profiler.experimental random "
    "strings summary tpu train"
)
NAMESPACES = {
    "tf": tf,
    **{f"tf.{name}": attrgetter(name)(tf) for name in NAMES.split()},
    "moving_averages": moving_averages,
    "tpu_function": tpu_function,
}

LEFT_OUT = {
    name
    for names in (
        # asks the network
        "tf.contrib.cluster_resolver.TPUClusterResolver",
        # is abstract
        "tf.contrib.cluster_resolver.ClusterResolver tf.train.SessionCreator",
        # is made by strategies
        "tf.contrib.distribute.MirroredVariable tf.contrib.distribute.TowerContext "
        "tf.contrib.distribute.TowerLocalVariable",
        # is made by its functions, not by users
        "tf.data.Dataset",
        # is made by datasets
        "tf.data.Iterator",
        # is made once for each type
        "tf.DType",
        # stays the default session after the call
        "tf.InteractiveSession",
        # waits for a core until the deadline
        "tf.contrib.tpu.outfeed_dequeue tf.contrib.tpu.outfeed_dequeue_tuple",
        # is made by functions
        "tf.Operation tf.Tensor",
        # waits for checkpoints
        "tf.contrib.training.checkpoints_iterator tf.train.checkpoints_iterator",
        # is a package
        "tf.contrib.training.python",
        # runs until it is stopped
        "tf.profiler.start tf.profiler.experimental.start",
        # holds for the whole process
        "tf.enable_eager_execution tf.disable_eager_execution "
        "tf.disable_v2_behavior tf.enable_v2_behavior tf.disable_tensor_equality "
        "tf.disable_v2_tensorshape tf.enable_tensor_equality "
        "tf.enable_v2_tensorshape",
        # begins eager mode
        "tf.Module tf.function",
        # empties the graph of the test
        "tf.reset_default_graph",
        # listens
        "tf.train.Server",
    )
    for name in names.split()
}
"""Names that are not called."""

MADE_FOR_TPUREF = {
    "Dataset": {"apply"},  # any function will do, and its errors are its own
    "Graph": {
        "add",
        "check_accessible",
        "create_operation",
        "in_region",
        "in_scopes",
        "in_tower",
        "on_host",
        "outside_regions",
        "scopes_in_force",
    },
    "BatchNormalization": {"call"},  # called by __call__, once it is built
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
    """What is called."""

    name: str  # its dotted name; a method has its class instead of the instance
    # makes the instance of a method; None for a function
    owner: Callable[[], Any] | None = None
    attribute: str = ""  # the name of the method, or of a property to be read
    function: Any = None  # the function, where there is no instance

    def bound(self):
        """Return what to call; None for a property, which this reads."""
        if self.owner is None:
            return self.function
        instance = self.owner()
        if not hasattr(instance, self.attribute) and tf.executing_eagerly():
            return None  # an eager iterator has no initializer, for example
        found = getattr(instance, self.attribute)
        return None if isinstance(self.function, property) else found

    def documented(self):
        """The docstring, which may name errors, and those that it refers to."""
        found = inspect.getdoc(self.function) or ""
        known = getattr(self.function, "__globals__", {})
        twins = re.findall(r"errors are those of `(\w+)`", found)
        others = (inspect.getdoc(known.get(one)) or "" for one in twins)
        return "\n".join([found, *others])


def callees():
    """Return all of them, in an order that stays."""
    found = {}
    for prefix, namespace in NAMESPACES.items():
        for name in dir(namespace):
            value = getattr(namespace, name)
            full = f"{prefix}.{name}"
            if name.startswith("_") or full in LEFT_OUT or not callable(value):
                continue
            if isinstance(value, enum.EnumMeta):  # whose errors are Python's
                continue
            found.setdefault(id(value), Callee(full, function=value))
    return [*found.values(), *_methods()]


def _methods():
    return [
        Callee(f"{type_name}.{name}", make, name, getattr(cls, name))
        for type_name, (cls, make) in SPECIMENS.items()
        for name in dir(cls)
        if callable(getattr(cls, name)) or isinstance(getattr(cls, name), property)
        if name not in MADE_FOR_TPUREF.get(type_name, ())
        and (not name.startswith("_") or _is_operator(cls, name))
    ]


def _is_operator(cls, name):
    return name in OPERATORS and getattr(cls, name) is not getattr(object, name, None)
