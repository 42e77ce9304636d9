"""The names that a program takes from ``tf``, and those that tpuref lacks."""

import ast
import functools
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from tpuref.names.lookup import first_missing, part_there
from tpuref.names.message import Missing, about, longest_known
from tpuref.tools.porting import notebook
from tpuref.tools.porting.keras_2 import Idiom, idioms_of, lacks, uses_keras
from tpuref.tools.porting.scope import Scope
from tpuref.tools.porting.source import Part, Source
from tpuref.tools.porting.syntax import SyntaxReader
from tpuref.tools.porting.token_reader import TokenReader


class Place(NamedTuple):
    """Where a program takes a name."""

    cell: int  # the cell of a notebook, 0 for a script
    line: int  # the line of the script, or of the cell

    def __str__(self) -> str:
        return f"cell {self.cell} line {self.line}" if self.cell else str(self.line)


@dataclass
class Name:
    """A name that a program takes."""

    name: str  # the name, such as ``"tf.contrib.tpu.shard"``
    missing: Missing | None  # its origin and advice, None if tpuref has it
    places: list[Place] = field(default_factory=list)  # where the program takes it


@dataclass
class Program:
    """A script or notebook, and the names that it takes."""

    path: Path
    names: list[Name]  # the names, in the order of their first places
    unparsed: bool  # whether Python 3 cannot parse all of it, so tokens were read
    shell: list[Place] = field(default_factory=list)  # lines for a shell in a notebook
    keras_2: list[tuple[Place, Idiom]] = field(default_factory=list)

    @property
    def missing(self) -> list[Name]:
        """The names that tpuref does not have."""
        return [name for name in self.names if name.missing is not None]


def read_program(source: Source) -> Program:
    """Return the names that a program takes from ``tf``, without running it."""
    names: dict[str, Name] = {}
    cell = 0

    def take(path: str, line: int, root: str) -> None:
        name = _interface_name(path)
        if root and len(name) <= len(root):
            return  # a member of a value; the value itself was taken earlier
        full = f"tf.{name}"
        missing = None if first_missing(name) is None else lacks(about(full))
        entry = names.setdefault(full, Name(full, missing))
        if Place(cell, line) not in entry.places:
            entry.places.append(Place(cell, line))

    scope = Scope()
    syntax = SyntaxReader(scope, take)
    unparsed = False
    shell = []
    trees: list[tuple[int, ast.Module]] = []
    for part in source.parts():
        cell = part.cell or 0
        if cell:
            shell += [Place(cell, line) for line in notebook.shell_lines(part.text)]
        tree = syntax_tree(part)
        if tree is None:
            unparsed = True
            TokenReader(scope, take).read(part.text)
        else:
            syntax.read(tree)
            trees.append((cell, tree))
    for name in names.values():
        name.places.sort()
    ordered = sorted(names.values(), key=lambda name: name.places[0])
    program = Program(source.path, ordered, unparsed, shell)
    if any(uses_keras(tree) for _, tree in trees):
        program.keras_2 = [
            (Place(cell, idiom.line), idiom)
            for cell, tree in trees
            for idiom in idioms_of(tree)
        ]
    return program


@functools.cache
def _interface_name(path: str) -> str:
    """Return the part of a dotted name that names something of the interface."""
    return part_there(path) if first_missing(path) is None else longest_known(path)


def syntax_tree(part: Part) -> ast.Module | None:
    """Return the syntax tree, or None if Python 3 cannot parse the text."""
    for text in (part.text, notebook.without_magics(part.text)):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of escapes in strings, for example
                return ast.parse(text)
        except (SyntaxError, ValueError, RecursionError):
            continue
    return None
