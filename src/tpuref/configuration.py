"""The settings of this process, each with an environment variable."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.errors import coded
from tpuref.missing.namespaces import message_about

EXECUTORS = ("pool", "lockstep")
ALL_REDUCES = ("auto", "flat", "direct", "ring")
_SIZES = ("topology", "cores")


@dataclass(frozen=True)
class _Settings:
    topology: str | None
    cores: int | None
    executor: str
    all_reduce: str
    timeout: float
    check_replicas: bool
    padding_visible: bool


_NAMES = [field.name for field in fields(_Settings)]


def _positive_integer(name: str, text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise coded(
            ValueError,
            f"{name} must be a positive integer, got {text!r}",
            code=codes.INVALID_SETTING,
        )
    return int(text)


def _seconds(name: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not value > 0:  # NaN is not
        raise coded(
            ValueError,
            f"{name} must be a positive number of seconds, got {text!r}",
            code=codes.INVALID_SETTING,
        )
    return value


def _from_environment() -> _Settings:
    cores = os.environ.get("TPUREF_CORES")
    return _Settings(
        topology=os.environ.get("TPUREF_TOPOLOGY"),
        cores=None if cores is None else _positive_integer("TPUREF_CORES", cores),
        executor=os.environ.get("TPUREF_EXECUTOR", EXECUTORS[0]),
        all_reduce=os.environ.get("TPUREF_ALL_REDUCE", ALL_REDUCES[0]),
        timeout=_seconds("TPUREF_TIMEOUT", os.environ.get("TPUREF_TIMEOUT", "120")),
        check_replicas=os.environ.get("TPUREF_CHECK_REPLICAS", "0") == "1",
        padding_visible=False,
    )


def _check_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise coded(
            ValueError,
            f"config.{name} must be one of {', '.join(choices)}, got {value!r}",
            code=codes.INVALID_SETTING,
        )


def _check(settings: _Settings) -> None:
    _check_choice("executor", settings.executor, EXECUTORS)
    _check_choice("all_reduce", settings.all_reduce, ALL_REDUCES)
    if settings.cores is not None and (
        not isinstance(settings.cores, int) or settings.cores < 1
    ):
        raise coded(
            ValueError,
            f"config.cores must be a positive integer, got {settings.cores!r}",
            code=codes.INVALID_SETTING,
        )
    if not isinstance(settings.timeout, (int, float)) or not settings.timeout > 0:
        raise coded(
            ValueError,
            "config.timeout must be a positive number of seconds, got "
            f"{settings.timeout!r}",
            code=codes.INVALID_SETTING,
        )


class Config:
    """The settings of this process.

    Attributes
    ----------
    topology
        The mesh of the TPU system as text, ``"XxYxC"``: chips along x and y, and cores
        per chip.  ``TPUREF_TOPOLOGY``; None for the default.
    cores
        The number of cores, if no topology is set.  ``TPUREF_CORES``.
    executor
        What runs replicated programs.  ``TPUREF_EXECUTOR``: ``"pool"`` runs each core
        in its own process, ``"lockstep"`` runs all replicas in this process.
    all_reduce
        How the core pool sums over replicas.  ``TPUREF_ALL_REDUCE``: ``"flat"``,
        ``"direct"``, ``"ring"``, or ``"auto"``, which chooses the fastest by size.
    timeout
        The deadline of every wait, in seconds.  ``TPUREF_TIMEOUT``.
    check_replicas
        Whether replicas that leave different values in one variable are an error.
        ``TPUREF_CHECK_REPLICAS=1``.
    padding_visible
        Whether a computation sees padded inputs instead of their true sizes.

    Examples
    --------
    >>> import tpuref as tf
    >>> with tf.config.override(cores=4):
    ...     tf.config.cores
    4
    """

    def __init__(self) -> None:
        settings = _from_environment()
        _check(settings)
        object.__setattr__(self, "_settings", settings)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name not in _NAMES:
            message = message_about(f"tf.config.{name}")
            raise coded(AttributeError, message, code=codes.MISSING_NAME, name=name)
        return getattr(self._settings, name)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *_NAMES]

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in _NAMES:
            raise coded(
                AttributeError,
                f"config has no setting {name!r}; it has {', '.join(_NAMES)}",
                code=codes.UNKNOWN_SETTING,
            )
        changed = {name: value}
        if name in _SIZES and value is not None:  # the later setting wins
            changed = {**dict.fromkeys(_SIZES), **changed}
        settings = replace(self._settings, **changed)
        _check(settings)
        object.__setattr__(self, "_settings", settings)

    @contextlib.contextmanager
    def override(self, **settings: Any) -> Iterator[Config]:
        """Change settings within a ``with`` block."""
        before = self._settings
        try:
            for name, value in settings.items():
                setattr(self, name, value)
            yield self
        finally:
            object.__setattr__(self, "_settings", before)

    def __repr__(self) -> str:
        return repr(self._settings).replace("_Settings", "Config")


config = Config()
