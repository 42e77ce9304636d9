"""``tf.Module``: an object that knows the variables it is made of."""

from __future__ import annotations

import contextlib
import functools
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tpuref.engine.graph.default import begin_eagerly, get_default_graph
from tpuref.engine.graph.variables import Variable


class Module:
    """An object that finds the variables and modules among its attributes.

    The name is that of the class in lower case with underscores by default.  It raises
    ValueError if the name is no Python identifier.

    Examples
    --------
    >>> class Dense(tf.Module):
    ...     def __init__(self, inputs, outputs):
    ...         super().__init__()
    ...         self.w = tf.Variable(tf.ones([inputs, outputs]), name="w")
    ...         self.b = tf.Variable(tf.zeros([outputs]), name="b")
    ...     def __call__(self, x):
    ...         return tf.matmul(x, self.w) + self.b
    >>> with tf.eager_execution():
    ...     dense = Dense(3, 2)
    ...     [variable.name for variable in dense.trainable_variables]
    ['b:0', 'w:0']
    """

    def __init__(self, name: str | None = None) -> None:
        begin_eagerly()
        own = _snake_case(type(self).__name__) if name is None else name
        if not isinstance(own, str) or not own.isidentifier():
            raise ValueError(
                f"tf.Module: name must be a Python identifier, got {name!r}"
            )
        self._name = own
        self._scope_name = f"{get_default_graph().get_name_scope()}/{own}".strip("/")

    def _trackable_children(self) -> dict[str, Any]:
        """Return the attributes, for `tf.train.Checkpoint`."""
        return vars(self)

    @property
    def name(self) -> str:
        """The name."""
        return self._name

    @property
    def name_scope(self) -> contextlib.AbstractContextManager[str]:
        """The name scope of the module."""
        return get_default_graph().name_scope(f"{self._scope_name}/")

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables of the module, then those of its modules."""
        return tuple(_collect(self, Variable))

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        """Those of the variables that are trained."""
        return tuple(v for v in self.variables if v.trainable)

    @property
    def non_trainable_variables(self) -> tuple[Variable, ...]:
        """Those of the variables that are not trained."""
        return tuple(v for v in self.variables if not v.trainable)

    @property
    def submodules(self) -> tuple[Module, ...]:
        """The modules within the module, at any depth."""
        return tuple(_collect(self, Module))

    @classmethod
    def with_name_scope(cls, method: Callable[..., Any]) -> Callable[..., Any]:
        """Return a method that runs in the name scope of its module."""

        @functools.wraps(method)
        def scoped(self: Module, *args: Any, **kwargs: Any) -> Any:
            with self.name_scope:
                return method(self, *args, **kwargs)

        return scoped


def _snake_case(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def _collect(module: Module, kind: type) -> list[Any]:
    """Return the members of a kind: the module's own, then those of its modules."""
    leaves: dict[int, Any] = {}
    seen = {id(module)}
    pending = [module]
    while pending:
        within = []
        for leaf in _leaves(pending.pop(0)):
            if isinstance(leaf, kind):
                leaves.setdefault(id(leaf), leaf)
            if isinstance(leaf, Module) and id(leaf) not in seen:
                seen.add(id(leaf))
                within.append(leaf)
        pending = within + pending
    return list(leaves.values())


def _leaves(module: Module) -> Iterator[Any]:
    """Yield the values of a module's attributes, in the order of their names."""
    for name in sorted(vars(module)):
        yield from _flat(vars(module)[name])


def _flat(value: Any) -> Iterator[Any]:
    if isinstance(value, Mapping):
        for key in sorted(value, key=str):
            yield from _flat(value[key])
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from _flat(part)
    else:
        yield value
