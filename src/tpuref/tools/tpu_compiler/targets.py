"""The TPUs that programs can be compiled for."""

from typing import NamedTuple

from tpuref.base import error_codes as codes
from tpuref.base.arguments import instance_of
from tpuref.base.errors import coded


class Target(NamedTuple):
    """A TPU slice.

    `topology` is its name in JAX, `cores` the number of its devices there, and
    `capacity` the bytes of memory that the compiler lets a program use on each.
    `peak` is the peak of a core's matrix units in operations per second, and `clock`
    their cycles per second.
    """

    name: str
    topology: str
    cores: int
    capacity: int
    peak: float
    clock: float


# Capacities are those in the compiler's own errors, peaks those of Cloud TPU's pages
# about each generation, per core; the clock follows from the peak and the matrix units.
_GENERATIONS: dict[str, tuple[float, float, float, dict[int, tuple[str, int]]]] = {
    "v2": (7.48, 23e12, 0.70e9, {8: ("2x2", 8), 32: ("4x4", 32)}),
    "v3": (15.48, 61.5e12, 0.94e9, {8: ("2x2", 8), 32: ("4x4", 32)}),
    "v4": (15.25, 137.5e12, 1.05e9, {8: ("2x2x1", 8), 16: ("2x2x2", 16)}),
    "v5e": (
        *(15.75, 197e12, 1.50e9),
        {1: ("1x1", 1), 4: ("2x2", 4), 8: ("2x4", 8), 16: ("4x4", 16)},
    ),
    "v5p": (95.73, 459e12, 1.75e9, {8: ("2x2x1", 4), 16: ("2x2x2", 8)}),
    "v6e": (
        *(31.24, 918e12, 1.75e9),
        {1: ("1x1", 1), 4: ("2x2", 4), 8: ("2x4", 8), 16: ("4x4", 16)},
    ),
}

TARGETS = {
    f"{generation}-{size}": Target(
        f"{generation}-{size}",
        f"{generation}:{mesh}",
        cores,
        int(capacity * 2**30),
        peak,
        clock,
    )
    for generation, (capacity, peak, clock, sizes) in _GENERATIONS.items()
    for size, (mesh, cores) in sizes.items()
}
"""All targets by name."""


def targets_of(names: str) -> list[Target]:
    """Return the targets of a list such as ``"v3-8,v5e-4"``.

    It raises ValueError if a target does not exist.

    >>> [target.topology for target in targets_of("v3-8,v5e-4")]
    ['v3:2x2', 'v5e:2x2']
    """
    instance_of(str, "tpuref.compiled_for: target", "a name such as 'v3-8'", names)
    return [_target_named(name.strip()) for name in dict.fromkeys(names.split(","))]


def _target_named(name: str) -> Target:
    if name in TARGETS:
        return TARGETS[name]
    generation = name.partition("-")[0]
    same = [known for known in TARGETS if known.startswith(f"{generation}-")]
    why = f"TPU {generation} comes as" if same else "the targets are"
    raise coded(
        ValueError,
        f"there is no target {name!r}; {why} {', '.join(same or TARGETS)}",
        code=codes.INVALID_SETTING,
    )
