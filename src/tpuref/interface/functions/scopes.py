"""Scopes of the default graph: names, devices, dependencies, collections."""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tpuref.base.arguments import wrong_type
from tpuref.engine.graph.default import executing_eagerly, get_default_graph


@contextlib.contextmanager
def name_scope(
    name: str | None, default_name: str | None = None, values: Any = None
) -> Iterator[str]:
    """Prefix the names of operations within a block.

    Examples
    --------
    >>> with tf.name_scope("layer"):
    ...     x = tf.constant(1, name="x")
    >>> x.name
    'layer/x:0'
    """
    with get_default_graph().name_scope(
        default_name if name is None else name
    ) as scope:
        yield scope


@contextlib.contextmanager
def device(
    device_name_or_function: str | Callable[[Any], str | None] | None,
) -> Iterator[None]:
    """Place operations on a device within a block.

    See 000_04abb9e9288042d8.txt: core gives names for it.  `device_name_or_function` is
    a device name, whose parts override those of the enclosing scopes; a function that
    returns one; or None to ignore the enclosing scopes.  It raises ValueError if the
    name cannot be parsed.

    Examples
    --------
    >>> with tf.device("/job:worker"), tf.device("/cpu:0"):
    ...     x = tf.constant(1)
    >>> x.device
    '/job:worker/device:CPU:0'
    """
    with get_default_graph().device(device_name_or_function):
        yield


@contextlib.contextmanager
def control_dependencies(control_inputs: Sequence[Any] | None) -> Iterator[None]:
    """Make the operations of a block wait for others; None clears the dependencies.

    It has no effect in eager mode, where everything runs in program order.  Inputs are
    operations, tensors and variables.

    Examples
    --------
    >>> first = tf.no_op()
    >>> with tf.control_dependencies([first]):
    ...     second = tf.no_op()
    >>> second.control_inputs == [first]
    True
    """
    if executing_eagerly():
        yield
        return
    with get_default_graph().control_dependencies(control_inputs):
        yield


@contextlib.contextmanager
def colocate_with(op: Any, ignore_existing: bool = False) -> Iterator[None]:
    """Place the operations of a block on the device of another operation."""
    with get_default_graph().colocate_with(op, ignore_existing):
        yield


def add_to_collection(name: str, value: Any) -> None:
    """Add a value to a collection of the default graph."""
    get_default_graph().add_to_collection(name, value)


def add_to_collections(names: Sequence[str], value: Any) -> None:
    """Add a value to several collections of the default graph."""
    get_default_graph().add_to_collections(names, value)


def get_collection(key: str, scope: str | None = None) -> list[Any]:
    """Return the values of a collection of the default graph."""
    return get_default_graph().get_collection(key, scope)


def get_collection_ref(key: str) -> list[Any]:
    """Return the actual list of a collection of the default graph."""
    return get_default_graph().get_collection_ref(key)


@contextlib.contextmanager
def name_scope_v2(name: str) -> Iterator[str]:
    """Prefix the names of operations within a block, as TensorFlow 2 does.

    It raises ValueError if the name is no string.
    """
    if not isinstance(name, str):
        raise ValueError(f"tf.name_scope: name: expected a string, got {name!r}")
    with name_scope(name) as scope:
        yield scope


def device_v2(device_name: Any) -> Any:
    """Return `device`, which takes no functions in TensorFlow 2."""
    if callable(device_name):
        raise wrong_type("tf.device: device_name", "a string or None", device_name)
    return device(device_name)
