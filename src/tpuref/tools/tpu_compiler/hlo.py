"""Reading of compiled programs: arrays with their tiles, and estimated cycles."""

import re
from collections.abc import Iterator, Sequence
from math import prod
from typing import NamedTuple

_SHAPE = re.compile(r"\b([a-z]\w*)\[([\d,]*)\](?:\{([\d,]*)(?::([^}]*))?\})?")
_INSTR = re.compile(r"\s+(?:ROOT )?%?(\S+) = (\(.*?\)|\S+) ([\w-]+)\((.*)")
_TILE = re.compile(r"T\(([\d,]+)\)")
_NAME = re.compile(r'op_name="([^"]*)"')
_CYCLES = re.compile(r'"estimated_cycles":"(\d+)"')
_COMPUTATION = re.compile(r"(ENTRY )?%?([\w.-]+) \(.*\{$")
_SIZES = {"pred": 1, "s4": 0.5, "u4": 0.5, "bf16": 2, "c64": 8, "c128": 16}
_NO_ARRAY = (
    *("tuple", "get-tuple-element", "bitcast", "while", "conditional", "call"),
    *("copy-start", "copy-done", "constant"),
)
"""Instructions whose results are no arrays of their own, and prefetches."""


class Tiled(NamedTuple):
    """An array in a core's memory: `own` are its bytes, `held` those with padding.

    `tiles` are the axes that tiles cover, and the sizes of a tile there, minor ones
    first.
    """

    dtype: str
    shape: tuple[int, ...]
    padded: tuple[int, ...]
    own: int
    held: int
    in_hbm: bool
    tiles: tuple[tuple[int, int], ...]


class Instruction(NamedTuple):
    """An instruction of a compiled program; `number` is that of a parameter."""

    opcode: str
    op_name: str
    arrays: Sequence[Tiled]
    cycles: int
    number: int | None
    in_entry: bool


def instructions(text: str) -> Iterator[Instruction]:
    """Yield the instructions of a compiled program, but not those inside of fusions."""
    bodies = set(re.findall(r"(?:body|branch_computations)=\{?%?([\w.-]+)", text))
    entry = inside = False
    for line in text.splitlines():
        begin = _COMPUTATION.match(line)
        if begin:
            entry = begin[1] is not None
            inside = entry or begin[2] in bodies
            continue
        parts = _INSTR.match(line) if inside else None
        if parts:
            _, shape, opcode, rest = parts.groups()
            name, cycles = _NAME.search(rest), _CYCLES.search(rest)
            number = rest.partition(")")[0] if opcode == "parameter" else ""
            yield Instruction(
                opcode,
                name[1] if name else "",
                [] if opcode in _NO_ARRAY else [*arrays(shape)],
                int(cycles[1]) if cycles else 0,
                int(number) if number.isdecimal() else None,
                entry,
            )


def arrays(text: str) -> Iterator[Tiled]:
    """Yield the arrays of a shape, which may be a tuple.

    >>> [array] = arrays("f32[128,3]{1,0:T(8,128)}")
    >>> array.own, array.held, array.padded, array.tiles
    (1536, 65536, (128, 128), ((1, 128), (0, 8)))
    """
    for dtype, sizes, order, layout in _SHAPE.findall(text):
        shape = tuple(int(size) for size in sizes.split(",") if size)
        places = [int(place) for place in order.split(",") if place]
        padded, tiles = list(shape), []
        tile = _TILE.search(layout)
        if tile and places:
            # Tiles cover the minor dimensions, and layouts name the minor ones first.
            tiled = [int(size) for size in tile[1].split(",")][::-1]
            tiles = list(zip(places, tiled, strict=False))
            for place, size in tiles:
                padded[place] = -(-shape[place] // size) * size
        each = _SIZES.get(dtype) or _bits(dtype) / 8
        yield Tiled(
            dtype,
            shape,
            tuple(padded),
            int(prod(shape) * each),
            int(prod(padded) * each),
            "S(" not in layout,
            tuple(tiles),
        )


def _bits(dtype: str) -> int:
    digits = re.search(r"\d+", dtype)
    return int(digits[0]) if digits else 0
