"""Stand-ins for the machinery that runs TensorFlow's tests, not for what they test.

Combinations that ask for a GPU or for other machines are skipped, as there.
"""

import contextlib
import functools
import inspect
import itertools
import re
import unittest
import urllib.error
import urllib.request
from types import ModuleType, SimpleNamespace
from unittest import mock

import tpuref as tf

from .servers import Device


class TestCase(tf.test.TestCase):
    """tpuref's, with the assertions that only TensorFlow's own tests use."""

    def assertProtoEquals(self, expected, message):
        """Compare the jobs of a cluster with their text."""
        found = {job.name: dict(job.tasks) for job in message.job}
        assert jobs_in(expected) == found

    def assertLen(self, container, length):
        """Compare a length."""
        assert len(container) == length

    def assertRaisesRegexp(self, *args, **kwargs):
        """Do as `assertRaisesRegex`."""
        return self.assertRaisesRegex(*args, **kwargs)  # noqa: PT027


def jobs_in(text):
    """Return the jobs that the text of a ClusterDef has, with their tasks."""
    jobs = re.split(r"\bjob\s*\{", text)[1:]
    task = re.compile(r"key\s*:\s*(\d+)\s+value\s*:\s*['\"](.*?)['\"]")
    name = re.compile(r"name\s*:\s*['\"](.*?)['\"]")
    return {
        found[1]: {int(key): value for key, value in task.findall(job)}
        for job in jobs
        if (found := name.search(job)) is not None
    }


class EagerTestCase(TestCase):
    """Runs eagerly, except where a test chooses its mode."""

    def run(self, result=None):
        """Run the test."""
        with tf.eager_execution():
            return super().run(result)


def module(name, **members):
    made = ModuleType(name)
    vars(made).update(members)
    return made


@contextlib.contextmanager
def graph_mode():
    with tf.Graph().as_default():
        yield


def in_mode(mode):
    return tf.eager_execution() if mode == "eager" else graph_mode()


def in_graph_mode(test):
    @functools.wraps(test)
    def run(*args, **kwargs):
        with graph_mode():
            return test(*args, **kwargs)

    return run


def in_both_modes(test):
    @functools.wraps(test)
    def run(self, *args, **kwargs):
        for mode in ("graph", "eager"):
            with self.subTest(mode=mode), in_mode(mode):
                test(self, *args, **kwargs)

    return run


def all_in_both_modes(tested):
    for name in unittest.defaultTestLoader.getTestCaseNames(tested):
        setattr(tested, name, in_both_modes(getattr(tested, name)))
    return tested


def as_it_is(tested):
    return tested


def create_local_cluster(*args, **kwargs):
    raise unittest.SkipTest("asks for a cluster of servers")


test = module("test", TestCase=TestCase, main=tf.test.main, mock=mock)
eager_test = module("test", TestCase=EagerTestCase, main=tf.test.main, mock=mock)
test_util = module(
    "test_util",
    create_local_cluster=create_local_cluster,
    deprecated_graph_mode_only=in_graph_mode,
    run_all_in_graph_and_eager_modes=all_in_both_modes,
    run_deprecated_v1=in_graph_mode,
    run_in_graph_and_eager_modes=lambda tested=None, **_: (
        in_both_modes if tested is None else in_both_modes(tested)
    ),
    with_c_api=as_it_is,
    with_control_flow_v2=as_it_is,
)
parameterized = module("parameterized", TestCase=type("TestCase", (), {}))
six = module(
    "six",
    moves=SimpleNamespace(
        urllib=SimpleNamespace(request=urllib.request, error=urllib.error)
    ),
)


class NAMES_OF_CONTEXT:
    """Names of ``tensorflow.python.eager.context`` that tests use to choose a mode."""

    executing_eagerly = staticmethod(tf.executing_eagerly)
    graph_mode = staticmethod(graph_mode)
    eager_mode = staticmethod(tf.eager_execution)
    num_gpus = staticmethod(lambda: 0)
    LogicalDevice = Device


class NAMES_OF_COMPAT:
    """Names of ``tensorflow.python.util.compat``, for texts."""

    as_bytes = staticmethod(
        lambda text: text.encode() if isinstance(text, str) else text
    )


class NAMES_OF_MODES:
    """Names that ask which of TensorFlow's own modes a test runs in."""

    control_flow_v2_enabled = staticmethod(lambda: False)
    enabled = staticmethod(lambda: False)


class NAMES_OF_STRATEGIES:
    """Strategies that need hardware; no test here runs with one."""

    MirroredStrategy = tf.distribute.MirroredStrategy


NAMES = {
    "tensorflow.contrib.distribute.python.mirrored_strategy": NAMES_OF_STRATEGIES,
    "tensorflow.python.ops.control_flow_v2_toggles": NAMES_OF_MODES,
    "tensorflow.python.tf2": NAMES_OF_MODES,
    "tensorflow.python.eager.context": NAMES_OF_CONTEXT,
    "tensorflow.python.util.compat": NAMES_OF_COMPAT,
}


class Named:
    """A value of a combination that is made when a test runs, or why it cannot be."""

    def __init__(self, name, make=None, missing=None):
        self.name = name
        self._make = make
        self._missing = missing

    def __repr__(self):
        return self.name

    def value(self):
        if self._missing is not None:
            raise unittest.SkipTest(self._missing)
        assert self._make is not None
        return self._make()

    def __call__(self):
        """Make an optimizer, where it is the argument ``optimizer_fn``."""
        return self.value()


def combine(**lists):
    values = [v if isinstance(v, list) else [v] for v in lists.values()]
    return [dict(zip(lists, row, strict=True)) for row in itertools.product(*values)]


def times(*factors):
    rows = itertools.product(*factors)
    return [{k: v for part in row for k, v in part.items()} for row in rows]


def generate(rows):
    """Make a test of each row of arguments, in the mode that it names."""

    def decorate(tested):
        if not isinstance(tested, type):
            tested.rows = rows
            return tested
        for name in unittest.defaultTestLoader.getTestCaseNames(tested):
            getattr(tested, name).rows = rows
        return tested

    return decorate


def run_row(method, row):
    """Run a bound test with the arguments of a row, made now."""
    taken = inspect.signature(method).parameters
    with in_mode(row.get("mode", "graph")):
        arguments = {
            name: value.value() if name == "distribution" else value
            for name, value in row.items()
        }
        method(**{name: arguments[name] for name in arguments if name in taken})


def _named(*names):
    return [NAMED[name] for name in names]


def _strategies_and(*optimizers):
    def rows():
        strategies = (
            "one_device_strategy",
            "mirrored_strategy_with_gpu_and_cpu",
            "mirrored_strategy_with_two_gpus",
        )
        return combine(
            distribution=_named(*strategies), optimizer_fn=_named(*optimizers)
        )

    return rows


def one_device():
    """Return the strategy of the release whose test runs."""
    kind = tf.contrib.distribute if contrib_runs() else tf.distribute
    return kind.OneDeviceStrategy("/cpu:0")


def contrib_runs():
    return any("contrib/distribute" in frame.filename for frame in inspect.stack(0))


def tpu():
    resolver = tf.distribute.cluster_resolver.TPUClusterResolver("")
    return tf.distribute.TPUStrategy(resolver)


GPU = "asks for a GPU"
MACHINES = "asks for a worker on another machine"
_ALL = [
    Named("one_device_strategy", one_device),
    Named("one_device_strategy_gpu", missing=GPU),
    Named("one_device_strategy_on_worker_1", missing=MACHINES),
    Named("one_device_strategy_gpu_on_worker_1", missing=GPU),
    Named("mirrored_strategy_with_gpu_and_cpu", missing=GPU),
    Named("mirrored_strategy_with_two_gpus", missing=GPU),
    Named("tpu_strategy", tpu),
    Named("tpu_strategy_single_iteration", missing="is of 1.11.0 alone"),
    Named("gradient_descent_optimizer_v1_fn",
        lambda: tf.train.GradientDescentOptimizer(0.2)),
    Named("adagrad_optimizer_v1_fn", lambda: tf.train.AdagradOptimizer(0.001)),
    Named("adam_optimizer_v1_fn", lambda: tf.train.AdamOptimizer(0.001)),
    Named("rmsprop_optimizer_v1_fn", lambda: tf.train.RMSPropOptimizer(0.001)),
    Named("gradient_descent_optimizer_keras_v2_fn",
        lambda: tf.keras.optimizers.SGD(0.2)),
    Named("adagrad_optimizer_keras_v2_fn", lambda: tf.keras.optimizers.Adagrad(0.001)),
    *(Named(name, missing="asks for tf.contrib.optimizer_v2")
        for name in ("gradient_descent_optimizer_v2_fn", "adam_optimizer_v2_fn")),
]  # fmt: skip
NAMED = {named.name: named for named in _ALL}


def of_release(v1, v2):
    """Return the module of combinations, with the optimizers of some releases."""
    return module(
        "combinations",
        combine=combine,
        times=times,
        generate=generate,
        graph_and_eager_modes=["graph", "eager"],
        distributions_and_v1_optimizers=_strategies_and(*v1),
        distributions_and_v2_optimizers=_strategies_and(*v2),
        distributions_and_v1_and_v2_optimizers=_strategies_and(*v1, *v2),
        optimizers_v1=_named(*v1),
        optimizers_v2=_named(*v2),
        optimizers_v1_and_v2=_named(*v1, *v2),
        **NAMED,
    )


contrib_combinations = of_release(
    ("gradient_descent_optimizer_v1_fn", "adam_optimizer_v1_fn"),
    ("gradient_descent_optimizer_v2_fn", "adam_optimizer_v2_fn"),
)
combinations = of_release(
    ("gradient_descent_optimizer_v1_fn", "adagrad_optimizer_v1_fn"),
    ("gradient_descent_optimizer_keras_v2_fn", "adagrad_optimizer_keras_v2_fn"),
)
