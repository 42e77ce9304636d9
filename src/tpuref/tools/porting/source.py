"""The files of a program, and the Python in them."""

from __future__ import annotations

import io
import os
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tpuref.tools.porting import notebook

NOTEBOOK = ".ipynb"
SUFFIXES = (".py", NOTEBOOK)


@dataclass(frozen=True)
class Part:
    """A script, or a code cell of a notebook."""

    text: str  # the code in it, line by line as in the file
    # the number of the cell among all cells, from 1 up; None for a script
    cell: int | None = None


@dataclass(frozen=True)
class Source:
    """A file of a program."""

    path: Path  # where it is
    text: str  # all of it, with the ends of lines as they are
    encoding: str  # how the text is stored

    @property
    def is_notebook(self) -> bool:
        """Whether it is a notebook instead of a script."""
        return self.path.suffix == NOTEBOOK

    def parts(self) -> list[Part]:
        """Return the code in it; ValueError where it is no notebook after all."""
        if not self.is_notebook:
            return [Part(self.text)]
        return [Part(text, cell) for cell, text in notebook.code_cells(self.text)]


def files(place: Path) -> Iterator[Path]:
    """Give a file, or the scripts and notebooks below a folder, in order.

    Hidden folders, and those of virtual environments, are left out.
    """
    if not place.is_dir():
        yield place
        return
    for folder, below, names in os.walk(place):
        below[:] = sorted(name for name in below if _is_searched(Path(folder, name)))
        for name in sorted(names):
            if name.endswith(SUFFIXES) and not name.startswith("."):
                yield Path(folder, name)


def _is_searched(folder: Path) -> bool:
    hidden = folder.name.startswith(".") or folder.name == "__pycache__"
    return not (hidden or (folder / "pyvenv.cfg").exists())


def read(path: Path) -> Source:
    """Return a file; OSError where it cannot be read.

    One that is stored in another way than it says, as some of Python 2 are, is read as
    Latin-1, in which every byte is a character.
    """
    data = path.read_bytes()
    try:
        encoding = tokenize.detect_encoding(io.BytesIO(data).readline)[0]
        return Source(path, data.decode(encoding), encoding)
    except (SyntaxError, UnicodeDecodeError):
        return Source(path, data.decode("latin-1"), "latin-1")
