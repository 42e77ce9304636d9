"""Subjects: the modules that the clauses can be run against."""

import contextlib
import importlib
import logging
import os

from .clause import first_line
from .description import Described

DEFAULT_SUBJECT = "tpuref"


class SubjectError(Exception):
    """The subject could not be loaded."""


class TensorFlow2:
    """TensorFlow 2.x with the 1.x names that it keeps in ``compat.v1`` on top."""

    def __init__(self, module):
        self._module = module
        self.compat = module.compat

    @contextlib.contextmanager
    def version_2(self):
        """Yield the package as programs for 2.x see it: operations run at once."""
        from tensorflow.python import tf2
        from tensorflow.python.eager import context

        tf2.enable()
        try:
            with context.eager_mode():
                yield self._module
        finally:
            tf2.disable()

    def __getattr__(self, name):
        if hasattr(self.compat.v1, name):
            return getattr(self.compat.v1, name)
        return getattr(self._module, name)


def load(name=DEFAULT_SUBJECT, described=None):
    """Import and return the subject called ``name``.

    A ``tensorflow`` of 2.x is put into graph mode, as the documents assume.
    ``described`` is the path of its subject file.
    """
    if name == "tensorflow":
        os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    try:
        module = importlib.import_module(name)
    except Exception as error:
        raise SubjectError(
            f"it cannot be imported ({type(error).__name__}: {first_line(error)})"
        ) from error
    if described is not None:
        return Described(module, described)
    if name != "tensorflow":
        return module
    logging.getLogger("tensorflow").setLevel(logging.ERROR)
    if module.__version__.startswith("1."):
        return module
    module.compat.v1.disable_v2_behavior()
    # Strategies have several replicas, so there must be several logical processors,
    # before anything runs.
    (processor,) = module.config.list_physical_devices("CPU")
    logical = [module.config.LogicalDeviceConfiguration() for _ in range(4)]
    module.config.set_logical_device_configuration(processor, logical)
    return TensorFlow2(module)


def version_of(tf):
    """Return the version of the subject as text."""
    return str(getattr(tf, "__version__", "unknown"))


@contextlib.contextmanager
def fresh_graph(tf):
    """Make a new graph the default one, if the subject has graphs."""
    if not hasattr(tf, "Graph"):
        yield
        return
    with tf.Graph().as_default():
        yield


@contextlib.contextmanager
def sessions_on_a_server(tf):
    """Put every session of tpuref that names no target on a server of its own.

    A system that eager operations start meanwhile is stopped at the end.
    """
    session = importlib.import_module("tpuref.engine.graph.session")
    local = importlib.import_module("tpuref.engine.runtime.system").LOCAL
    target_of = session.target_of
    server = tf.train.Server({"localhost": ["localhost:0"]})

    def served(given, function):
        return server.target if given == "" else target_of(given, function)

    session.target_of = served
    try:
        yield
    finally:
        session.target_of = target_of
        server.stop()
        local.reset()
