"""What tells programs apart: their contents, whoever built them.

A session builds the program of a computation again for other fetches.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from tpuref.engine.program import Program

_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
"""Where an object is, such as a function of the user: it differs by process."""


def digest(program: Program) -> bytes:
    """Return the same bytes for programs that do the same, with the same names."""
    return _digest(_lines(program, {}))


def joint_digest(program: Program) -> str:
    """Return the same text for programs of processes that run the same script."""
    return _digest(_ADDRESS.sub("", line) for line in _lines(program, {})).hex()


def _digest(lines: Iterable[str]) -> bytes:
    said = hashlib.blake2b(digest_size=16)
    for line in lines:
        said.update(line.encode())
    return said.digest()


def _lines(program: Program, numbers: dict[int, int]) -> Iterator[str]:
    """Describe a program; slots are numbered in the order in which they occur."""

    def numbered(slots: tuple[int, ...]) -> list[int]:
        return [numbers.setdefault(slot, len(numbers)) for slot in slots]

    yield repr(numbered(program.parameters))
    for instr in program.instrs:
        attrs = [(name, _told(value)) for name, value in sorted(instr.attrs.items())]
        specs = [spec.describe() for spec in instr.specs]
        places = numbered(instr.inputs), numbered(instr.outputs)
        line = instr.op, instr.name, places, attrs, specs, instr.core, instr.replica
        yield repr((*line, str(instr.site), len(instr.blocks)))
        for block in instr.blocks:
            yield from _lines(block, {})
    yield repr(numbered(program.results))


def _told(value: Any) -> Any:
    """Return what distinguishes the value of an attribute."""
    if not isinstance(value, np.ndarray):
        return value
    content = value.tolist() if value.dtype == object else value.tobytes()
    return str(value.dtype), value.shape, content
