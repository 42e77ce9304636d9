"""The request of a test with ``@pytest.mark.tpu(...)``."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

from tpuref.base.executors import EXECUTORS

ARGUMENTS = ("cores", "topology", "executor", "timeout", "compiles")
_MESH = re.compile(r"[1-9]\d*(x[1-9]\d*){2}")


class MarkerError(ValueError):
    """The marker has invalid arguments."""


@dataclass(frozen=True)
class Wanted:
    """The TPU system for one run of a test; None means as configured."""

    cores: int | None = None  # the number of cores
    topology: str | None = None  # the mesh as text, ``"XxYxC"``
    executor: str | None = None  # ``"pool"``, ``"lockstep"`` or ``"xla"``

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of `tf.config` that it requests."""
        return {name: value for name, value in vars(self).items() if value is not None}

    def __str__(self) -> str:
        parts = []
        if self.cores is not None:
            parts.append(f"cores={self.cores}")
        if self.topology is not None:
            parts.append(f"topology={self.topology}")
        if self.executor is not None:
            parts.append(self.executor)
        return "-".join(parts)


@dataclass(frozen=True)
class Request:
    """The combined request of the markers of one test."""

    systems: tuple[Wanted, ...]  # the systems to run the test on, one after another
    # the seconds after which it fails, None if no marker has a timeout
    timeout: float | None
    compiles: str = ""  # the TPUs that its programs must compile for and fit


def request_of(markers: Iterable[Any], defaults: Mapping[str, Any] = {}) -> Request:
    """Return the request of a test's markers, the closest one first.

    An argument of a closer marker overrides that of another, and markers override
    `defaults`; ``cores`` and ``topology`` count as the same argument.  It raises
    MarkerError if an argument is unknown or invalid.
    """
    merged: dict[str, Any] = {}
    for args, kwargs in [*((m.args, m.kwargs) for m in markers), ((), defaults)]:
        arguments = _arguments(args, kwargs)
        if "cores" in merged or "topology" in merged:
            arguments.pop("cores", None)
            arguments.pop("topology", None)
        merged = {**arguments, **merged}
    timeout = merged.pop("timeout", None)
    compiles = merged.pop("compiles", "")
    if compiles and not {"cores", "topology"} & merged.keys():
        merged["cores"] = _cores_of(compiles)
    limit = None if timeout is None else seconds(timeout)
    return Request(_systems(**merged), limit, compiles)


def _cores_of(compiles: Any) -> list[int]:
    """Return the numbers of cores of TPUs."""
    from tpuref.tools.tpu_compiler.targets import targets_of

    try:
        return list(dict.fromkeys(target.cores for target in targets_of(compiles)))
    except (AttributeError, ValueError) as error:
        raise MarkerError(
            f"tpu(compiles=...) must be text such as 'v3-8,v5e-4': {error}"
        ) from None


def _arguments(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    if args:
        raise MarkerError(
            f"tpu() takes only keyword arguments, got {args!r}; write "
            "tpu(cores=[1, 2, 8], executor=['lockstep', 'pool'])"
        )
    unknown = sorted(set(kwargs) - set(ARGUMENTS))
    if unknown:
        raise MarkerError(
            f"tpu() has no argument {', '.join(unknown)}; it has {', '.join(ARGUMENTS)}"
        )
    if "cores" in kwargs and "topology" in kwargs:
        raise MarkerError("tpu() accepts cores= or topology=, not both")
    return dict(kwargs)


_RULES: dict[str, tuple[Callable[[Any], bool], str]] = {
    "cores": (lambda value: type(value) is int and value > 0, "a positive integer"),
    "topology": (
        lambda value: isinstance(value, str) and bool(_MESH.fullmatch(value)),
        "text such as '2x2x2' (chips along x and y, cores per chip)",
    ),
    "executor": (lambda value: value in EXECUTORS, " or ".join(map(repr, EXECUTORS))),
}
"""Each argument's valid values, as a function and in words."""


def _systems(**arguments: Any) -> tuple[Wanted, ...]:
    values = (_values(name, arguments.get(name)) for name in _RULES)
    return tuple(Wanted(*chosen) for chosen in product(*values))


def _values(name: str, value: Any) -> list[Any]:
    """Return the values of an argument, or None as the only one."""
    if value is None:
        return [None]
    values = list(value) if isinstance(value, (list, tuple, range)) else [value]
    if not values:
        raise MarkerError(f"tpu({name}=...) must list at least one value, got none")
    if None in values or len(set(map(repr, values))) < len(values):
        raise MarkerError(f"tpu({name}=...) must not repeat values, got {values!r}")
    is_valid, words = _RULES[name]
    for one in values:
        if not is_valid(one):
            raise MarkerError(
                f"tpu({name}=...) must be {words}, or a list of those, got {one!r}"
            )
    return values


def seconds(value: Any) -> float:
    """Return a timeout as a number.

    It raises MarkerError if it is not a non-negative number of seconds; 0 means no
    limit.
    """
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = -1.0
    if isinstance(value, bool) or not 0 <= number < float("inf"):
        raise MarkerError(
            f"a timeout must be a number of seconds, or 0 for none, got {value!r}"
        )
    return number
