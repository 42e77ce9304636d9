"""Scopes: the names of a program that are bound to modules and members of ``tf``."""

from __future__ import annotations

from collections.abc import Callable

from tpuref.names.releases import table

Take = Callable[[str, int, str], None]
"""A function of a name below ``tf``, its line, and the prefix of the name that another
name of the program is bound to; the prefix of ``tf`` itself is empty."""

PACKAGES = {"tensorflow": "", "tpuref": "", "tensorflow_estimator": "estimator"}
"""The places below ``tf`` of packages that programs import."""


def joined(*parts: str) -> str:
    """Return a dotted name; empty parts are left out.

    Examples
    --------
    >>> joined("", "compat.v1", "Session")
    'compat.v1.Session'
    """
    return ".".join(filter(None, parts))


def below_tf(module: str) -> str | None:
    """Return the name below ``tf`` of a module; None for modules of other packages.

    Examples
    --------
    >>> below_tf("tensorflow.compat.v1")
    'compat.v1'
    >>> below_tf("numpy") is None
    True
    """
    package, _, rest = module.partition(".")
    return joined(PACKAGES[package], rest) if package in PACKAGES else None


def without_v2(path: str) -> str:
    """Return a name without ``compat.v2``, another name of ``tf`` in TensorFlow 2."""
    first, second, *rest = [*path.split("."), "", ""]
    return joined(*rest) if (first, second) == ("compat", "v2") else path


class Scope:
    """The names of a module, a class or a function.

    Names that it does not bind are looked up in `outer`.  If it is the body of a class,
    functions inside do not see it.
    """

    def __init__(self, outer: Scope | None = None, *, of_class: bool = False) -> None:
        self.outer = outer
        self.of_class = of_class
        self.module: Scope = self if outer is None else outer.module
        self.of_module: set[str] = set()
        self._names: dict[str, str | None] = {}
        self._stars: list[str] = []

    def for_functions(self) -> Scope:
        """Return the scope of the functions that are defined here."""
        if self.of_class and self.outer is not None:
            return self.outer.for_functions()
        return self

    def bind(self, name: str, path: str | None, *, perhaps: bool = False) -> None:
        """Bind a name from here on.

        `path` is a name below ``tf``, empty for ``tf``, and None for anything else.
        With `perhaps`, as in a branch, a name below ``tf`` is not replaced by None.
        """
        if name in self.of_module and self is not self.module:
            self.module.bind(name, path, perhaps=perhaps)
        elif path is not None or not perhaps or self._names.get(name) is None:
            self._names[name] = None if path is None else without_v2(path)

    def bind_all(self, path: str) -> None:
        """Record an import of everything from a module."""
        self._stars.append(path)

    def path(self, name: str) -> str | None:
        """Return the name below ``tf`` that a name is bound to, or None."""
        if name in self._names:
            return self._names[name]
        return self._look_outside(name, Scope.path)

    def starred(self, name: str) -> str | None:
        """Return the name below ``tf`` that an import of everything binds, or None."""
        return None if name in self._names else self._look_outside(name, Scope.starred)

    def _look_outside(
        self, name: str, look_up: Callable[[Scope, str], str | None]
    ) -> str | None:
        for star in self._stars:
            path = joined(star, name)
            if path.removeprefix("compat.v1.") in table():
                return path
        return None if self.outer is None else look_up(self.outer, name)
