"""The files of a program, and the Python in them."""

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

    text: str  # the code, line by line as in the file
    # the number of the cell among all cells, from 1 up; None for a script
    cell: int | None = None


@dataclass(frozen=True)
class Source:
    """A file of a program."""

    path: Path
    text: str  # the whole text, with its line ends
    encoding: str

    @property
    def is_notebook(self) -> bool:
        """Whether it is a notebook instead of a script."""
        return self.path.suffix == NOTEBOOK

    def parts(self) -> list[Part]:
        """Return its scripts or cells; ValueError if it is no notebook."""
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
    """Return a file; OSError where it cannot be read.

    A file that contradicts its declared encoding, as some for Python 2 do, is read as
    Latin-1, in which every byte is a character.
    """
    data = path.read_bytes()
    try:
        encoding = tokenize.detect_encoding(io.BytesIO(data).readline)[0]
        return Source(path, data.decode(encoding), encoding)
    except (SyntaxError, UnicodeDecodeError):
        return Source(path, data.decode("latin-1"), "latin-1")
