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
    """A script, or a code cell of a notebook.

    Attributes
    ----------
    text
        The code in it, line by line as in the file.
    cell
        The number of the cell among all cells, from 1 up; None for a script.
    """

    text: str
    cell: int | None = None


@dataclass(frozen=True)
class Source:
    """A file of a program.

    Attributes
    ----------
    path
        The path of the file.
    text
        The whole text, with its ends of lines.
    encoding
        The encoding of the file.
    """

    path: Path
    text: str
    encoding: str

    @property
    def is_notebook(self) -> bool:
        """Whether it is a notebook instead of a script."""
        return self.path.suffix == NOTEBOOK

    def parts(self) -> list[Part]:
        """Return its code; ValueError if a notebook cannot be parsed."""
        if not self.is_notebook:
            return [Part(self.text)]
        return [Part(text, cell) for cell, text in notebook.code_cells(self.text)]


def files(place: Path) -> Iterator[Path]:
    """Yield a file, or the scripts and notebooks below a folder, in order.

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
    """Return a file; OSError if it cannot be read.

    If the file does not have the encoding that it declares, as some of Python 2, it is
    read as Latin-1, in which every byte is a character.
    """
    data = path.read_bytes()
    try:
        encoding = tokenize.detect_encoding(io.BytesIO(data).readline)[0]
        return Source(path, data.decode(encoding), encoding)
    except (SyntaxError, UnicodeDecodeError):
        return Source(path, data.decode("latin-1"), "latin-1")
