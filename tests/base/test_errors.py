"""The error classes: names and codes of tf.errors, context, and pickling."""

import pickle

import pytest

import tpuref as tf
from tpuref.base import errors
from tpuref.base.callsite import CallSite

# The numbers are those of google.rpc.Code, which tf.errors publishes.
NAMES = "Cancelled Unknown InvalidArgument DeadlineExceeded NotFound AlreadyExists"
NAMES += " PermissionDenied ResourceExhausted FailedPrecondition Aborted OutOfRange"
NAMES += " Unimplemented Internal Unavailable DataLoss Unauthenticated"
CODES = {f"{name}Error": code for code, name in enumerate(NAMES.split(), 1)}


class Node:
    """As an operation of a graph."""

    name = "total"

    @property
    def node_def(self):
        return "the node of total"


SITE = CallSite("model.py", 7, "build")


@pytest.mark.parametrize(("name", "code"), CODES.items())
def test_each_status_has_its_class_and_code(name, code):
    kind = getattr(tf.errors, name)
    assert issubclass(kind, tf.errors.OpError)
    assert kind("it failed").error_code == code
    constant = "".join(f"_{c}" if c.isupper() else c for c in name[:-5])[1:].upper()
    assert getattr(tf.errors, constant) == code
    error = kind("it failed", op="total", site=SITE)
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), again.site) == (kind, str(error), SITE)


@pytest.mark.parametrize("name", CODES)
def test_the_arguments_of_tensorflow(name):
    kind, op = getattr(tf.errors, name), Node()
    for error in (
        kind("a node", op, "it failed"),
        kind(node_def="a node", op=op, message="it failed"),
    ):
        assert (error.node_def, error.op, error.message) == ("a node", op, "it failed")
        assert error.error_code == CODES[name] and error.args == ("it failed",)
        assert str(error) == "it failed\n  operation: total"
    assert str(kind(None, None, "it failed")) == "it failed"
    assert kind(None, op, "it failed").node_def == "the node of total"
    assert kind("it failed").node_def is None
    again = pickle.loads(pickle.dumps(kind(None, op, "it failed", site=SITE)))
    assert (again.op, again.message, again.site) == ("total", "it failed", SITE)


def test_an_error_with_a_status_of_its_own():
    error = tf.errors.OpError(None, None, "it failed", tf.errors.DATA_LOSS)
    assert error.error_code == tf.errors.DATA_LOSS
    assert pickle.loads(pickle.dumps(error)).error_code == tf.errors.DATA_LOSS
    assert tf.errors.OpError("it failed").error_code == tf.errors.UNKNOWN


def test_all_statuses_are_covered():
    assert {kind.__name__ for kind in errors.OpError.__subclasses__()} == set(CODES)
    assert tf.errors.OK == 0


def test_the_message_ends_with_operation_and_line():
    error = errors.InvalidArgumentError("bad value", op="total", site=SITE)
    assert (error.message, error.op, error.site) == ("bad value", "total", SITE)
    shown = "bad value\n  operation: total\n  built at: model.py:7 in build"
    assert str(error) == shown
    error = errors.AbortedError("stopped")
    assert (str(error), error.op, error.site) == ("stopped", None, None)
    error.op = "total"
    assert str(error) == "stopped\n  operation: total"
    with pytest.raises(TypeError, match="pass a message, or node_def, op and message"):
        tf.errors.AbortedError(None, None)


def test_errors_that_documents_and_releases_call_differently():
    for kind in (errors.ArgumentCountError, errors.StructureError):
        assert issubclass(kind, ValueError) and issubclass(kind, TypeError)
    assert issubclass(errors.InaccessibleTensorError, ValueError)
    assert not issubclass(errors.InaccessibleTensorError, errors.OpError)


def test_tf_errors_has_error_classes_and_their_numbers_only():
    # pytest adds names with an @ to the modules of an installed plugin.
    names = [name for name in dir(tf.errors) if name[0] not in "_@"]
    for name in names:
        value = getattr(tf.errors, name)
        number = name.isupper() and isinstance(value, int)
        error = isinstance(value, type) and issubclass(value, Exception)
        assert number or error, name
