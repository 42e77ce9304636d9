"""The settings of this process, each with an environment variable.

Only ``TPUREF_KERNELS`` is read elsewhere, in `tpuref.kernels`, because it decides what
is imported.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from tpuref.base import error_codes as codes
from tpuref.base.errors import coded
from tpuref.base.executors import EXECUTORS
from tpuref.base.limits import MAX_CORES
from tpuref.base.mesh import MESH_FORM, parsed_mesh
from tpuref.names import namespace, table

ALL_REDUCES = ("auto", "flat", "direct", "ring")


class _Setting(NamedTuple):
    """One setting: its initial value, environment variable and valid values.

    `allowed` describes the values for which `fits` returns true; `read` converts the
    text of the variable.
    """

    default: Any
    variable: str | None
    allowed: str
    fits: Callable[[Any], bool]
    read: Callable[[str], Any] = str


def _is_mesh(value: Any) -> bool:
    return value is None or (isinstance(value, str) and parsed_mesh(value) is not None)


def _is_count(value: Any) -> bool:
    if value is None:
        return True
    whole = isinstance(value, int) and not isinstance(value, bool)
    return whole and 1 <= value <= MAX_CORES


def _count(text: str) -> Any:
    return int(text) if re.fullmatch("[0-9]{1,9}", text) else text


def _is_number(value: Any) -> bool:
    return value == 0 or _is_count(value)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_address(value: Any) -> bool:
    if value is None:
        return True
    if not _is_text(value) or re.fullmatch(r".+:[0-9]{1,5}", value) is None:
        return False
    return int(value.rpartition(":")[2]) <= 65535


def _is_processes(value: Any) -> bool:
    return value == "cores" or _is_count(value)


def _is_devices(value: Any) -> bool:
    is_name = isinstance(value, str) and re.fullmatch("[a-z]+", value) is not None
    return is_name or _is_count(value)


_LONGEST = 1e9  # about 32 years; the waits of Python end before 300 years


def _is_duration(value: Any) -> bool:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return number and 0 < value <= _LONGEST  # NaN is not


def _duration(text: str) -> Any:
    try:
        return float(text)
    except ValueError:
        return text


def _is_switch(value: Any) -> bool:
    return isinstance(value, bool)


def _switch(text: str) -> Any:
    return {"0": False, "1": True}.get(text, text)


def _choice(variable: str, names: tuple[str, ...]) -> _Setting:
    """Return the setting with these names as values, by default the first."""
    return _Setting(
        names[0], variable, f"one of {', '.join(names)}", names.__contains__
    )


_SETTINGS = {
    "topology": _Setting(None, "TPUREF_TOPOLOGY", MESH_FORM, _is_mesh),
    "cores": _Setting(
        None, "TPUREF_CORES", f"an integer from 1 to {MAX_CORES}", _is_count, _count
    ),
    "executor": _choice("TPUREF_EXECUTOR", EXECUTORS),
    "processes": _Setting(
        None,
        "TPUREF_PROCESSES",
        f"an integer from 1 to {MAX_CORES}, or 'cores'",
        _is_processes,
        _count,
    ),
    "xla_devices": _Setting(
        None,
        "TPUREF_XLA_DEVICES",
        f"a number of CPU devices from 1 to {MAX_CORES}, or a platform of JAX such as "
        "'gpu' or 'tpu'",
        _is_devices,
        _count,
    ),
    "all_reduce": _choice("TPUREF_ALL_REDUCE", ALL_REDUCES),
    "timeout": _Setting(
        120.0,
        "TPUREF_TIMEOUT",
        "a positive number of seconds, up to 1e9",
        _is_duration,
        _duration,
    ),
    "coordinator": _Setting(
        None, "TPUREF_COORDINATOR", "HOST:PORT, a port of host 0", _is_address
    ),
    "num_hosts": _Setting(
        None, "TPUREF_NUM_HOSTS", "a positive integer", _is_count, _count
    ),
    "host": _Setting(
        None, "TPUREF_HOST", "an integer, 0 for the first host", _is_number, _count
    ),
    "job": _Setting("", "TPUREF_JOB", "text", _is_text),
    "host_timeout": _Setting(
        15.0,
        "TPUREF_HOST_TIMEOUT",
        "a positive number of seconds, up to 1e9",
        _is_duration,
        _duration,
    ),
    "check_replicas": _Setting(
        False, "TPUREF_CHECK_REPLICAS", "1 (True) or 0 (False)", _is_switch, _switch
    ),
    "padding_visible": _Setting(False, None, "True or False", _is_switch),
}
_SIZES = ("topology", "cores")
_FUNCTIONS = "_config"
"""The list of the functions, which lie in modules above this one."""


def _check(setting: _Setting, name: str, value: Any, given: object) -> Any:
    """Return a valid value of a setting; ValueError names the valid values."""
    if not setting.fits(value):
        raise codes.INVALID_SETTING.value_error(
            f"{name} must be {setting.allowed}, got {given!r}"
        )
    return value


def _from_environment() -> dict[str, Any]:
    values = {}
    for name, setting in _SETTINGS.items():
        values[name] = setting.default
        text = None if setting.variable is None else os.environ.get(setting.variable)
        if setting.variable is not None and text is not None:
            values[name] = _check(setting, setting.variable, setting.read(text), text)
    return values


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
        What runs replicated programs.  ``TPUREF_EXECUTOR``: ``"pool"`` runs the cores
        in processes of their own, ``"lockstep"`` runs all replicas in this process,
        ``"xla"`` compiles them with JAX.
    processes
        On how many processes the core pool runs its cores, ``"cores"`` for one each.
        ``TPUREF_PROCESSES``; None for as many as there are processors, of which one
        carries all cores of a program that computes little.  It counts when the pool
        starts.
    xla_devices
        Where the executor ``"xla"`` runs the replicas: on how many devices of the CPU,
        or on those of a platform of JAX, such as ``"gpu"`` or ``"tpu"``.
        ``TPUREF_XLA_DEVICES``; None for all that JAX uses by default.  It counts when
        JAX starts.
    all_reduce
        How the core pool sums over replicas.  ``TPUREF_ALL_REDUCE``: ``"flat"``,
        ``"direct"``, ``"ring"``, or ``"auto"``, which chooses the fastest by size.
    timeout
        The deadline of every wait, in seconds.  ``TPUREF_TIMEOUT``.
    coordinator, num_hosts, host
        Where several hosts meet, how many there are, and which this is.
        ``TPUREF_COORDINATOR``, ``TPUREF_NUM_HOSTS``, ``TPUREF_HOST``; None for what
        JAX detects.  They count when the system starts.
    job
        Text that hosts of one job share.  ``TPUREF_JOB``.
    host_timeout
        In how many seconds hosts end after the loss of one.  ``TPUREF_HOST_TIMEOUT``.
    check_replicas
        Whether replicas that leave different values in one variable are an error.
        ``TPUREF_CHECK_REPLICAS=1``.
    padding_visible
        Whether a computation sees padded inputs instead of their true sizes.

    Examples
    --------
    >>> with tf.config.override(cores=4):
    ...     tf.config.cores
    4
    """

    def __init__(self) -> None:
        # Stored as attributes: each run reads many, and `__getattr__` is slow.
        vars(self).update(_from_environment())

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if homes := table.homes(_FUNCTIONS, name):
            return namespace.load(homes[0])
        message = namespace.message_about(f"tf.config.{name}")
        raise coded(AttributeError, message, code=codes.MISSING_NAME, name=name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in _SETTINGS:
            raise coded(
                AttributeError,
                f"config has no setting {name!r}; it has {', '.join(_SETTINGS)}",
                code=codes.INVALID_SETTING,
            )
        changed = {name: _check(_SETTINGS[name], f"config.{name}", value, value)}
        if name in _SIZES and value is not None:  # the later setting wins
            changed = {**dict.fromkeys(_SIZES), **changed}
        vars(self).update(changed)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *table.names_of(_FUNCTIONS)]

    @contextlib.contextmanager
    def override(self, **settings: Any) -> Iterator[Config]:
        """Change settings within a ``with`` block."""
        before = self._values()
        try:
            for name, value in settings.items():
                setattr(self, name, value)
            yield self
        finally:
            vars(self).update(before)

    def _values(self) -> dict[str, Any]:
        return {name: vars(self)[name] for name in _SETTINGS}

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self._values().items())
        return f"Config({shown})"


config = Config()
"""The settings, which only the user writes."""
