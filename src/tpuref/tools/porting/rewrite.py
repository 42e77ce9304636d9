"""Import lines that take tpuref instead of TensorFlow."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from tpuref.names.lookup import first_missing, is_namespace
from tpuref.names.message import about, longest_known
from tpuref.tools.porting import notebook
from tpuref.tools.porting.program import Place, syntax_tree
from tpuref.tools.porting.replacement import Replacement, replaced
from tpuref.tools.porting.scope import below_tf, joined
from tpuref.tools.porting.source import Part, Source
from tpuref.tools.porting.tokens import Import, Imported, import_of, statements

FROM = "tensorflow"
TO = "tpuref"


@dataclass(frozen=True)
class Change:
    """A line that changes."""

    place: Place  # where it is
    before: str  # the line
    after: str


@dataclass(frozen=True)
class Refusal:
    """An import that cannot change."""

    place: Place  # where it begins
    reason: str  # why


@dataclass
class Rewrite:
    """A file after its import lines have changed."""

    source: Source  # the file before the changes
    text: str  # all of it
    changes: list[Change] = field(default_factory=list)  # the lines that are different
    # the imports of TensorFlow that are not
    refusals: list[Refusal] = field(default_factory=list)

    def save(self) -> None:
        """Write the file if it has changed."""
        if self.changes:
            self.source.path.write_bytes(self.text.encode(self.source.encoding))


def rewrite(source: Source, release: int | None = None) -> Rewrite:
    """Return a file whose import lines take tpuref, with all else byte for byte.

    With `release` 1, ``import tensorflow`` becomes ``tpuref.compat.v1``.
    """
    result = Rewrite(source, source.text)
    replacements: dict[int, list[Replacement]] = {}
    for part in source.parts():
        cell = part.cell or 0
        replacements[cell] = []
        for line, edit in _edits(part, f"{TO}.compat.v1" if release == 1 else TO):
            if isinstance(edit, str):
                result.refusals.append(Refusal(Place(cell, line), edit))
            else:
                replacements[cell] += edit
        result.changes += _changes(part, replacements[cell])
    if source.is_notebook:
        result.text = notebook.with_replacements(source.text, replacements)
    else:
        result.text = replaced(source.text, replacements[0])
    return result


def _changes(part: Part, replacements: list[Replacement]) -> list[Change]:
    before = part.text.split("\n")
    after = replaced(part.text, replacements).split("\n")
    return [
        Change(Place(part.cell or 0, line), old.strip(), new.strip())
        for line, (old, new) in enumerate(zip(before, after, strict=True), 1)
        if old != new
    ]


def _edits(part: Part, whole: str) -> Iterator[tuple[int, list[Replacement] | str]]:
    """Yield the line of each import of TensorFlow, and its edits or the refusal.

    The lines of the tokens have to be those of the syntax tree, where there is one, so
    that nothing within a string changes.
    """
    expected = _import_lines(part)
    for statement in statements(part.text):
        line = statement[0].line
        one = import_of(statement)
        if one is not None and _is_of_tensorflow(one):
            if expected is None or line in expected:
                yield line, _edit(one, whole)
            if expected is not None:
                expected.discard(line)
    for line in sorted(expected or ()):
        yield line, "This import is written in a way that tpuref port cannot change."


def _import_lines(part: Part) -> set[int] | None:
    tree = syntax_tree(part)
    if tree is None:
        return None
    return {
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom | ast.Import)
        if any(_package(name) == FROM for name in _modules(node))
    }


def _modules(node: ast.Import | ast.ImportFrom) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [] if node.level else [node.module or ""]


def _package(name: str) -> str:
    return name.partition(".")[0]


def _is_of_tensorflow(one: Import) -> bool:
    modules = one.names if one.module is None else [one.module]
    return any(_package(module.name) == FROM for module in modules)


def _edit(one: Import, whole: str) -> list[Replacement] | str:
    """Return the edits of an import, or the reason why it stays.

    `whole` is the module that ``import tensorflow`` becomes.
    """
    if one.module is not None:
        below = below_tf(one.module.name)
        names = [joined(below or "", name.name.strip("*")) for name in one.names]
        missing = [name for name in names if name and not _can_be_imported(name)]
        return _why(missing) or [_replace_package(one.module)]
    edits = []
    for module in one.names:
        if _package(module.name) != FROM:
            continue
        edit = _edit_module(module, whole)
        if isinstance(edit, str):
            return edit
        edits.append(edit)
    return edits


def _edit_module(module: Imported, whole: str) -> Replacement | str:
    """Return the edit of ``import module as bound``, or why it stays."""
    below = below_tf(module.name) or ""
    start = module.token.start
    if below == "compat.v2" and module.bound:
        return Replacement(start, module.end, TO)
    if below and not _can_be_imported(below):
        return _why([below])
    if below and not is_namespace(below):
        return f"tf.{below} is not a module. Use from {TO} import."
    if not below and module.name == FROM:
        bound = "" if module.bound else f" as {FROM}"
        return Replacement(start, module.end, f"{whole}{bound}")
    if module.bound:
        return _replace_package(module)
    return Replacement(start, module.end, f"{TO} as {FROM}")


def _can_be_imported(name: str) -> bool:
    """Return whether tpuref has a name, or a module of it whose names are missing."""
    return first_missing(name) is None or is_namespace(name)


def _replace_package(module: Imported) -> Replacement:
    return Replacement(module.token.start, module.token.end, TO)


def _why(missing: list[str]) -> str:
    names = dict.fromkeys(longest_known(name) for name in missing)
    return " ".join(about(f"tf.{name}").text for name in names)
