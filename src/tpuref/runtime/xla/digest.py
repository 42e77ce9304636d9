"""What tells programs apart: their contents, whoever built them.

A session builds the program of a computation again for other fetches.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from tpuref.program import Program


def digest(program: Program) -> bytes:
    """Return the same bytes for programs that do the same, with the same names."""
    said = hashlib.blake2b(digest_size=16)
    _add(program, said, {})
    return said.digest()


def _add(program: Program, said: Any, numbers: dict[int, int]) -> None:
    """Add a program; slots are numbered in the order in which they occur."""

    def numbered(slots: tuple[int, ...]) -> list[int]:
        return [numbers.setdefault(slot, len(numbers)) for slot in slots]

    said.update(repr(numbered(program.parameters)).encode())
    for instr in program.instrs:
        attrs = [(name, _told(value)) for name, value in sorted(instr.attrs.items())]
        specs = [spec.describe() for spec in instr.specs]
        places = numbered(instr.inputs), numbered(instr.outputs)
        line = instr.op, instr.name, places, attrs, specs, instr.core, instr.replica
        said.update(repr((*line, str(instr.site), len(instr.blocks))).encode())
        for block in instr.blocks:
            _add(block, said, {})
    said.update(repr(numbered(program.results)).encode())


def _told(value: Any) -> Any:
    """Return what distinguishes the value of an attribute."""
    if not isinstance(value, np.ndarray):
        return value
    content = value.tolist() if value.dtype == object else value.tobytes()
    return str(value.dtype), value.shape, content
