"""Device names: their parts, and how nested device scopes merge."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tpuref.base import error_codes as codes

REPLICATED_CORE = "TPU_REPLICATED_CORE"

_PART = re.compile(
    r"^(?:job:(?P<job>[a-zA-Z_][a-zA-Z0-9_-]*)"
    r"|replica:(?P<replica>\d+)"
    r"|task:(?P<task>\d+)"
    r"|(?:device:)?(?P<kind>[A-Za-z_][A-Za-z0-9_]*):(?P<index>\d+|\*)"
    r"|(?P<bare>[cCgG][pP][uU]))$"
)


@dataclass(frozen=True)
class DeviceName:
    """A parsed device name; an absent part is None.

    >>> str(DeviceName.parse("/job:worker/cpu:0"))
    '/job:worker/device:CPU:0'
    """

    job: str | None = None
    replica: int | None = None
    task: int | None = None
    kind: str | None = None
    index: int | None = None

    @classmethod
    def parse(cls, text: str) -> DeviceName:
        """Read a device name such as ``/job:worker/task:0/device:CPU:0``."""
        name = cls()
        for part in filter(None, text.split("/")):
            match = _PART.match(part)
            if match is None:
                raise codes.UNKNOWN_DEVICE.value_error(
                    f"tf.device: cannot read {part!r} in device name {text!r}; "
                    "expected parts like /job:worker, /replica:0, /task:0, "
                    "/device:CPU:0, /cpu:0"
                )
            name = name._with(match)
        return name

    def _with(self, part: re.Match[str]) -> DeviceName:
        if part["job"] is not None:
            return replace(self, job=part["job"])
        if part["replica"] is not None:
            return replace(self, replica=int(part["replica"]))
        if part["task"] is not None:
            return replace(self, task=int(part["task"]))
        if self.kind is not None:
            raise codes.UNKNOWN_DEVICE.value_error(
                f"tf.device: {part[0]!r} is a second device in one name"
            )
        kind = (part["kind"] or part["bare"]).upper()
        index = None if part["index"] in (None, "*") else int(part["index"])
        return replace(self, kind=kind, index=index)

    def merged_into(self, outer: DeviceName) -> DeviceName:
        """Return `outer` with the parts of this name replaced."""
        if self.kind is not None:
            outer = replace(outer, kind=None, index=None)
        return replace(outer, **{k: v for k, v in vars(self).items() if v is not None})

    @property
    def logical_core(self) -> int | None:
        """The virtual core within a replica, None if the name has none."""
        return self.index if self.kind == REPLICATED_CORE else None

    def __str__(self) -> str:
        parts = []
        if self.job is not None:
            parts.append(f"/job:{self.job}")
        if self.replica is not None:
            parts.append(f"/replica:{self.replica}")
        if self.task is not None:
            parts.append(f"/task:{self.task}")
        if self.kind is not None:
            index = "*" if self.index is None else self.index
            parts.append(f"/device:{self.kind}:{index}")
        return "".join(parts)


DeviceFunction = Callable[[Any], "str | None"]
"""Gives the device name of an operation."""


_ANYWHERE = DeviceName()


class Unplaced:
    """The argument of a device function if there is no operation to place."""

    name = ""
    type = ""
    placement = _ANYWHERE

    @property
    def device(self) -> str:
        """The device name as text."""
        return str(self.placement)


def place(operation: Any, scopes: Sequence[DeviceName | DeviceFunction]) -> None:
    """Place an operation by the enclosing device scopes, innermost last.

    A name fills the parts that inner scopes left open; a device function sees those
    parts and decides alone.
    """
    operation.placement = _ANYWHERE
    for scope in reversed(scopes):
        if isinstance(scope, DeviceName):
            operation.placement = operation.placement.merged_into(scope)
        else:
            operation.placement = DeviceName.parse(scope(operation) or "")
