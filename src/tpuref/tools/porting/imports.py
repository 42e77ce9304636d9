"""The modules that a program imports, from its repository and from third parties."""

import ast
import importlib.util
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from tpuref.tools.porting.program import Place, syntax_tree
from tpuref.tools.porting.scope import PACKAGES
from tpuref.tools.porting.source import NOTEBOOK, Part, Source, read
from tpuref.tools.porting.tokens import import_of, statements

DISTRIBUTIONS = {
    "absl": "absl-py",
    "cv2": "opencv-python",
    "gin": "gin-config",
    "gym": "gymnasium",
    "PIL": "pillow",
    "skimage": "scikit-image",
    "sklearn": "scikit-learn",
    "yaml": "pyyaml",
}
"""Distributions that are called otherwise than their package."""

_NAMESPACES = ("google", "google.cloud")
"""Packages of several distributions: what is imported from them are modules."""

_MARKERS = {".git", "setup.py", "pyproject.toml"}
"""Files of the top folder of a repository."""


class Import(NamedTuple):
    """An import of a module, or of a name that may be one."""

    module: str  # the dotted name; dots in front say how far up it is relative to
    place: Place
    optional: bool  # whether the program catches the error of a missing module


@dataclass
class Imports:
    """What the imports of a program reach, in its own modules too."""

    modules: list[Path] = field(default_factory=list)  # other files of the repository
    # where third-party packages are imported that are not installed, by package
    missing: dict[str, tuple[Path, Place]] = field(default_factory=dict)


def imports_of(source: Source) -> Iterator[Import]:
    """Yield the imports of a script or notebook."""
    for part in source.parts():
        tree = syntax_tree(part)
        if tree is None:
            yield from _by_tokens(part)
        else:
            yield from _by_syntax(tree, part.cell or 0, False)


def _by_syntax(tree: ast.AST, cell: int, optional: bool) -> Iterator[Import]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(alias.name, Place(cell, node.lineno), optional)
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            joint = "" if base.endswith(".") or not base else "."
            yield Import(base, Place(cell, node.lineno), optional)
            for alias in node.names:
                name = f"{base}{joint}{alias.name}"
                maybe = optional or base not in _NAMESPACES
                yield Import(name, Place(cell, node.lineno), maybe)
        else:
            yield from _by_syntax(node, cell, optional or isinstance(node, ast.Try))


def _by_tokens(part: Part) -> Iterator[Import]:
    for statement in statements(part.text):
        one = import_of(statement)
        if one is None:
            continue
        place = Place(part.cell or 0, statement[0].line)
        if one.module is not None:
            yield Import(one.module.name, place, False)
        for name in one.names:
            before = "" if one.module is None else f"{one.module.name}."
            yield Import(before + name.name, place, bool(before))


def follow(path: Path) -> Imports:
    """Return the imports of a script and, in turn, of its repository's modules.

    Modules are looked up in the folder of the script and in the folders around it, up
    to the top of the repository; third-party packages are those that this Python has
    not.
    """
    followed = Imports()
    roots = list(_roots(path))
    waiting, known = [path], {path.resolve()}
    while waiting:
        current = waiting.pop(0)
        try:
            imports = list(imports_of(read(current)))
        except (OSError, ValueError):
            continue
        for one in imports:
            file = _file(one.module, current, roots)
            if file is None:
                _note_missing(one, current, roots, followed)
            elif file.resolve() not in known:
                known.add(file.resolve())
                followed.modules.append(file)
                waiting.append(file)
    return followed


def _roots(path: Path) -> Iterator[Path]:
    """Yield the folder of a script and those around it in its repository."""
    folders = [path.parent, *path.resolve().parent.parents]
    tops = [
        number
        for number, folder in enumerate(folders)
        if any((folder / marker).exists() for marker in _MARKERS)
    ]
    packaged = (folder.joinpath("__init__.py").is_file() for folder in folders)
    outside = list(packaged).index(False)  # what the script's package lies in
    yield from folders[: max(outside, *tops[-1:]) + 1 if tops else outside + 1]


def _file(module: str, current: Path, roots: list[Path]) -> Path | None:
    """Return the file of a module of the repository, None of other modules."""
    name = module.lstrip(".")
    dots = len(module) - len(name)
    if dots:
        roots = [[current.parent, *current.resolve().parent.parents][dots - 1]]
    parts = [part for part in name.split(".") if part]
    if not dots and _is_known(parts[0]):
        return None
    for root in roots:
        base = root.joinpath(*parts)
        for file in (base.with_suffix(".py"), base / "__init__.py"):
            if parts and file.is_file() and file.resolve() != current.resolve():
                return file
    return None


def _is_known(package: str) -> bool:
    return package in PACKAGES or package in sys.stdlib_module_names


def _note_missing(one: Import, path: Path, roots: list[Path], imports: Imports) -> None:
    parts = one.module.split(".")
    package = parts[0]
    while package in _NAMESPACES and len(parts) > 1:
        del parts[0]
        package = f"{package}.{parts[0]}"
    if one.optional or not package or package in (*_NAMESPACES, *imports.missing):
        return
    if _is_known(package) or any((root / package).is_dir() for root in roots):
        return
    if not _is_installed(package):
        imports.missing[package] = (path, one.place)


def _is_installed(package: str) -> bool:
    try:
        return importlib.util.find_spec(package) is not None
    except ModuleNotFoundError:  # of the namespace that it is in
        return False


def distribution(package: str) -> str:
    """Return the name of the distribution that pip installs for a package.

    >>> distribution("absl"), distribution("google.cloud.storage")
    ('absl-py', 'google-cloud-storage')
    """
    return DISTRIBUTIONS.get(package, package.replace("_", "-").replace(".", "-"))


def is_entry(source: Source) -> bool:
    """Return whether a file is made to be run: a notebook, or a script that starts."""
    if source.path.suffix == NOTEBOOK:
        return True
    return "__main__" in source.text or "app.run(" in source.text
