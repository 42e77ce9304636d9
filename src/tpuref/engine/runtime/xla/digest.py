"""Digests of programs, by contents.

A session lowers the same computation again for other fetches; equal digests share the
compiled program.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from tpuref.engine.program import Program

_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
"""The address in the repr of an object, such as a function; it differs by process."""


def digest(program: Program) -> bytes:
    """Return equal bytes for programs that do the same, with the same names."""
    return _digest(_lines(program, {}))


def joint_digest(program: Program) -> str:
    """Return equal text for programs of processes that run the same script."""
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

    yield repr((numbered(program.parameters), program.components))
    for instr in program.instrs:
        attrs = [
            (name, _attribute_text(value))
            for name, value in sorted(instr.attrs.items())
        ]
        specs = [spec.describe() for spec in instr.specs]
        places = numbered(instr.inputs), numbered(instr.outputs)
        line = instr.op, instr.name, places, attrs, specs, instr.core, instr.replica
        yield repr((*line, str(instr.site), len(instr.blocks)))
        for block in instr.blocks:
            yield from _lines(block, {})
    yield repr(numbered(program.results))


def _attribute_text(value: Any) -> Any:
    """Return the text of an attribute's value."""
    if not isinstance(value, np.ndarray):
        return value
    content = value.tolist() if value.dtype == object else value.tobytes()
    return str(value.dtype), value.shape, content
