"""The table of names: which object each public name stands for.

A home is the text ``module:object``, or ``module:`` for a module.  Two forms of lists
have homes:

- stubs for the namespaces that people use, in `compat/v1`, `compat/v2`, `compat` and
  `contrib`, which editors and type checkers read as well.  A line ``from module import
  name as name`` lists a name; ``name = other`` does so where the object is called
  otherwise, as the rules of stubs hide ``import other as name``; ``from stub import *``
  lists the names of another stub.  What both releases have with one meaning is in
  `compat/both`;
- `private.txt` for TensorFlow's private modules: lines ``module home names``.

A namespace is named by its path below ``tf``, such as ``"nn"`` or ``"compat.v1.nn"``;
``""`` is ``tf``.  In ``tf`` itself a name has two homes where the stubs of 1.x and 2.x
differ.
"""

import functools
import importlib
import os
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PRIVATE = os.path.join(ROOT, "names", "private.txt")

ABSENT = "absent"
INTERNAL = "__internal__"
ALL = "*"

Homes = tuple[str, ...]
"""One home, or that of 1.x and that of 2.x."""

_IMPORT = re.compile(r"^from (\S+) import (\([^)]*|.*)", re.MULTILINE)
_IMPORTED = re.compile(r"(\w+)(?: as (\w+))?")
_STAR = re.compile(r"^from tpuref\.(\S+) import \*$", re.MULTILINE)
_ALIAS = re.compile(r"^(\w+) = (\w+)$", re.MULTILINE)


class Private(NamedTuple):
    """A private module."""

    homes: dict[str, str]
    # The way out of names that are absent on purpose
    ways_out: dict[str, str]


_NOTHING = Private({}, {})


# -- stubs ---------------------------------------------------------------------


def stub_file(path: str) -> str | None:
    """Return the file that lists a namespace of one release, None without one."""
    base = os.path.join(ROOT, *path.split("."))
    files = (f"{base}.pyi", os.path.join(base, "__init__.pyi"))
    return next(filter(os.path.isfile, files), None)


@functools.cache
def stub(path: str) -> Mapping[str, str]:
    """Return the homes of the names that a stub lists, nothing without a stub.

    >>> stub("compat.v1.nn")["relu"]
    'tpuref.interface.functions.activations:relu'
    >>> stub("compat.v1")["nn"]
    'tpuref.compat.v1.nn:'
    """
    file = stub_file(path)
    if file is None:
        return {}
    with open(file, encoding="utf-8") as lines:
        text = lines.read()
    homes: dict[str, str] = {}
    for other in _STAR.findall(text):
        homes |= stub(other)
    imported: dict[str, str] = {}
    for module, names in _IMPORT.findall(text):
        for name, listed in _IMPORTED.findall(names):
            imported[name] = module
            if listed:
                homes[name] = _home(module, name)
    aliases = _ALIAS.findall(text)
    return homes | {name: _home(imported[value], value) for name, value in aliases}


def _home(module: str, value: str) -> str:
    package, _, path = module.partition(".")
    below = f"{path}.{value}".lstrip(".")
    lists = package == "tpuref" and path.partition(".")[0] in ("", "compat", "contrib")
    if lists and is_namespace(below):
        return f"tpuref.{below}:"
    is_module = module == "tpuref.tools"  # the module of a tool, such as tpuref.testing
    return f"{module}.{value}:" if is_module else f"{module}:{value}"


def documentation(path: str) -> str | None:
    """Return the docstring of a namespace."""
    for file in filter(None, map(stub_file, _stubs_of(path))):
        with open(file, encoding="utf-8") as lines:
            return lines.read().split('"""')[1]
    return None


def _stubs_of(path: str) -> list[str]:
    """Return the paths of the stubs that list a namespace."""
    if path.partition(".")[0] in ("compat", "contrib"):
        return [path]
    return [f"compat.{release}.{path}".rstrip(".") for release in ("v1", "v2")]


# -- private modules -----------------------------------------------------------


@functools.cache
def private_modules() -> Mapping[str, Private]:
    """Return the names of `private.txt` by module; public names as homes stay names."""
    modules: dict[str, Private] = {}
    with open(PRIVATE, encoding="utf-8") as lines:
        for line in filter(None, map(str.strip, lines)):
            if not line.startswith("#"):
                module, home, names = line.split(None, 2)
                _add(modules.setdefault(module, Private({}, {})), home, names)
    return modules


def _add(module: Private, home: str, names: str) -> None:
    """Add the names of a row to a module."""
    if home == ABSENT:
        name, _, way_out = names.partition(" ")
        module.ways_out[name] = way_out
        return
    sign = ":" if home.startswith("tpuref.") else "."
    for name, _, other in (part.partition("=") for part in names.split()):
        module.homes[name] = home if name == ALL else f"{home}{sign}{other or name}"


def _path_of_v1(name: str) -> str:
    """Return the path of a name such as ``"tf.nn"`` in the namespace of 1.x."""
    path = name.removeprefix("tf.")
    first = path.partition(".")[0]
    released = stub("compat.v1").keys() - {"compat", "contrib"}
    return f"compat.v1.{path}" if first in released else path


def _all_of(module: Private) -> Mapping[str, str]:
    """Return the names of the public namespace that a row with `ALL` refers to."""
    home = module.homes.get(ALL)
    return {} if home is None else stub(_path_of_v1(home))


def _private_home(path: str, name: str) -> str | None:
    """Return the home of a name of a private module."""
    module = private_modules().get(path)
    if module is None:
        return None
    home = module.homes.get(name)
    if home is None:
        return _all_of(module).get(name)
    return home if ":" in home else _public_home(home)


def _public_home(name: str) -> str:
    """Return the home that a public name such as ``"tf.nn.relu"`` stands for."""
    path = _path_of_v1(name)
    if is_namespace(path):
        return f"tpuref.{path}:"
    namespace, _, last = path.rpartition(".")
    return f"tpuref.{namespace}:{last}".replace(".:", ":")


def _is_private_module(path: str) -> bool:
    if any(one == path or one.startswith(f"{path}.") for one in private_modules()):
        return True
    return path.startswith(("python.", "contrib.")) and _releases().has_below(path)


def _releases() -> Any:
    # Few programs meet a name that no list has; the file takes 30 ms to read.
    return importlib.import_module("tpuref.names.releases").table()


@functools.cache
def _measured_home(path: str, name: str) -> str | None:
    """Return the home of a private name that a release has under a public one too."""
    if path.partition(".")[0] != "python":
        return None
    for other in _releases().same(f"{path}.{name}"):
        namespace, _, last = _path_of_v1(other).rpartition(".")
        if home := stub(namespace).get(last):
            return home
    return None


# -- both ----------------------------------------------------------------------


def is_namespace(path: str) -> bool:
    """Return whether there is a module of that path.

    >>> is_namespace("nn"), is_namespace("python.ops.math_ops"), is_namespace("config")
    (True, True, False)
    """
    if not path or any(map(stub_file, _stubs_of(path))):
        return True
    return _is_private_module(path)


@functools.cache
def listed(path: str) -> Mapping[str, Homes]:
    """Return the homes of the names that the stubs list for a namespace.

    >>> listed("nn")["relu"]
    ('tpuref.interface.functions.activations:relu',)
    """
    lists = [stub(one) for one in _stubs_of(path)]
    if len(lists) == 1:
        return {name: (home,) for name, home in lists[0].items()}
    ours = {} if path else stub("__init__")
    merged: dict[str, Homes] = {name: (home,) for name, home in ours.items()}
    for name in lists[0].keys() | lists[1].keys():
        homes = [_in_front(one[name]) for one in lists if name in one]
        merged[name] = tuple(dict.fromkeys(homes))
    return merged


def _in_front(home: str) -> str:
    """Return the home in ``tf``: its namespaces hold the names of both releases."""
    module, _, value = home.partition(":")
    return home if value else f"{re.sub(r'[.]compat[.]v[12][.]', '.', module)}:"


def homes(path: str, name: str) -> Homes:
    """Return the homes of a name, nothing where it is absent.

    >>> homes("python.ops.math_ops", "reduce_sum")
    ('tpuref.interface.functions.reductions:reduce_sum',)
    >>> homes("tpu", "shrad")
    ()
    """
    public = listed(path).get(name)
    if public is not None or (name.startswith("__") and name != INTERNAL):
        return public or ()
    if home := _private_home(path, name) or _measured_home(path, name):
        return (home,)
    below = f"{path}.{name}".lstrip(".")
    return (f"tpuref.{below}:",) if _is_private_module(below) else ()


@functools.cache
def names_of(path: str) -> frozenset[str]:
    """Return the names of a namespace; modules without any name are left out."""
    members = {*listed(path)}
    before = f"{path}." if path else ""
    for module, private in private_modules().items():
        if module == path:
            members.update(private.homes.keys() - {ALL}, _all_of(private))
        elif private.homes and module.startswith(before):
            members.add(module.removeprefix(before).partition(".")[0])
    return frozenset(members)


def is_empty(path: str) -> bool:
    """Return whether a namespace can be imported and has no name."""
    return not names_of(path)


def known_way_out(name: str) -> str:
    """Return the way out of an absent private name, empty without a row."""
    module, _, last = name.rpartition(".")
    row = private_modules().get(module, _NOTHING)
    return row.ways_out.get(last) or row.ways_out.get(ALL, "")


@functools.cache
def namespaces() -> tuple[str, ...]:
    """Return the paths of all namespaces that have names."""
    paths, waiting = [], [""]
    while waiting:
        path = waiting.pop()
        paths.append(path)
        for name in sorted(names_of(path), reverse=True):
            for home in homes(path, name):
                module, _, value = home.partition(":")
                below = module.removeprefix("tpuref.")
                if not value and below == f"{path}.{name}".lstrip("."):
                    waiting.append(below)
    return tuple(paths)
