"""Scopes: the names of a program that stand for modules and members of ``tf``."""

from __future__ import annotations

from collections.abc import Callable

from tpuref.names.releases import table

Take = Callable[[str, int, str], None]
"""Is called with a name below ``tf``, its line, and the part of the name that a name of
the program is bound to, empty for ``tf``."""

PACKAGES = {"tensorflow": "", "tpuref": "", "tensorflow_estimator": "estimator"}
"""The packages that a program imports, and where their names are below ``tf``."""


def joined(*parts: str) -> str:
    """Return a dotted name; empty parts are left out.

    >>> joined("", "compat.v1", "Session")
    'compat.v1.Session'
    """
    return ".".join(filter(None, parts))


def below_tf(module: str) -> str | None:
    """Return the name below ``tf`` of a module, None for modules of others.

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

    Names that it lacks are looked up in `outer`; functions inside the body of a class
    (`of_class`) do not see its names.
    """

    def __init__(self, outer: Scope | None = None, *, of_class: bool = False) -> None:
        self.outer = outer
        self.of_class = of_class
        self.module: Scope = self if outer is None else outer.module
        self.of_module: set[str] = set()
        self._names: dict[str, str | None] = {}
        self._stars: list[str] = []

    def for_functions(self) -> Scope:
        """Return the scope that functions defined here see."""
        if self.of_class and self.outer is not None:
            return self.outer.for_functions()
        return self

    def bind(self, name: str, path: str | None, *, perhaps: bool = False) -> None:
        """Bind a name to a path below ``tf`` (empty for ``tf``), or None to others.

        `perhaps` says that this holds on some branches only: an earlier path then
        stays.
        """
        if name in self.of_module and self is not self.module:
            self.module.bind(name, path, perhaps=perhaps)
        elif path is not None or not perhaps or self._names.get(name) is None:
            self._names[name] = None if path is None else without_v2(path)

    def bind_all(self, path: str) -> None:
        """Bind all names of a module, as ``import *`` does."""
        self._stars.append(path)

    def path(self, name: str) -> str | None:
        """Return the path below ``tf`` that a name is bound to, or None."""
        if name in self._names:
            return self._names[name]
        return self._look_up_outside(name, Scope.path)

    def starred(self, name: str) -> str | None:
        """Return the path of a name that ``import *`` binds, or None."""
        return (
            None if name in self._names else self._look_up_outside(name, Scope.starred)
        )

    def _look_up_outside(
        self, name: str, look_up: Callable[[Scope, str], str | None]
    ) -> str | None:
        for star in self._stars:
            path = joined(star, name)
            if path.removeprefix("compat.v1.") in table():
                return path
        return None if self.outer is None else look_up(self.outer, name)
