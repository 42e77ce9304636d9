"""The request of a test with ``@pytest.mark.tpu(...)``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tpuref.base.executors import EXECUTORS

ARGUMENTS = ("cores", "topology", "executor", "timeout")
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


def request_of(markers: Iterable[Any], defaults: Mapping[str, Any] = {}) -> Request:
    """Return the request of a test's markers, the closest one first.

    An argument of a closer marker overrides that of another, and markers override
    `defaults`; ``cores`` and ``topology`` count as the same argument.

    Raises
    ------
    MarkerError
        If an argument is unknown or invalid.
    """
    merged: dict[str, Any] = {}
    for args, kwargs in [*((m.args, m.kwargs) for m in markers), ((), defaults)]:
        arguments = _arguments(args, kwargs)
        if "cores" in merged or "topology" in merged:
            arguments.pop("cores", None)
            arguments.pop("topology", None)
        merged = {**arguments, **merged}
    timeout = merged.pop("timeout", None)
    return Request(_systems(**merged), None if timeout is None else seconds(timeout))


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


def _systems(
    cores: Any = None, topology: Any = None, executor: Any = None
) -> tuple[Wanted, ...]:
    counts = [_checked_cores(value) for value in _values("cores", cores)]
    meshes = [_checked_topology(value) for value in _values("topology", topology)]
    executors = [_checked_executor(value) for value in _values("executor", executor)]
    return tuple(
        Wanted(count, mesh, name)
        for count in counts
        for mesh in meshes
        for name in executors
    )


def _values(name: str, value: Any) -> list[Any]:
    """Return the values of an argument, or None as the only one."""
    if not isinstance(value, (list, tuple, range)):
        return [value]
    if not value:
        raise MarkerError(f"tpu({name}=...) must list at least one value, got none")
    if None in value or len(set(map(repr, value))) < len(value):
        raise MarkerError(
            f"tpu({name}=...) must not repeat values, got {list(value)!r}"
        )
    return list(value)


def _checked_cores(value: Any) -> Any:
    whole = isinstance(value, int) and not isinstance(value, bool)
    if value is not None and not (whole and value > 0):
        raise MarkerError(
            "tpu(cores=...) must be a positive integer, or a list of those, got "
            f"{value!r}"
        )
    return value


def _checked_topology(value: Any) -> Any:
    text = isinstance(value, str)
    if value is not None and not (text and _MESH.fullmatch(value)):
        raise MarkerError(
            "tpu(topology=...) must be text such as '2x2x2' (chips along x and y, "
            f"cores per chip), or a list of those, got {value!r}"
        )
    return value


def _checked_executor(value: Any) -> Any:
    if value is not None and value not in EXECUTORS:
        raise MarkerError(
            f"tpu(executor=...) must be {' or '.join(map(repr, EXECUTORS))}, or a list "
            f"of those, got {value!r}"
        )
    return value


def seconds(value: Any) -> float:
    """Return a timeout as a number.

    Raises
    ------
    MarkerError
        If it is not a non-negative number of seconds; 0 means no limit.
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
