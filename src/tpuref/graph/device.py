"""Device names: their parts, and how nested device scopes merge."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

REPLICATED_CORE = "TPU_REPLICATED_CORE"

_PART = re.compile(
    r"^(?:job:(?P<job>[a-zA-Z_][a-zA-Z0-9_-]*)"
    r"|replica:(?P<replica>\d+)"
    r"|task:(?P<task>\d+)"
    r"|(?:device:)?(?P<kind>[A-Za-z_][A-Za-z0-9_]*):(?P<index>\d+|\*))$"
)


@dataclass(frozen=True)
class DeviceName:
    """A device name taken apart; a part that was not given is None.

    Examples
    --------
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
                raise ValueError(
                    f"tf.device: cannot read {part!r} in device name {text!r}; expected "
                    "parts like /job:worker, /replica:0, /task:0, /device:CPU:0, /cpu:0"
                )
            name = replace(name, **_given(match))
        return name

    def merged_into(self, outer: DeviceName) -> DeviceName:
        """Return `outer` with the parts given here put over its own."""
        if self.kind is not None:
            outer = replace(outer, kind=None, index=None)
        given = {k: v for k, v in vars(self).items() if v is not None}
        return replace(outer, **given)

    @property
    def logical_core(self) -> int | None:
        """The virtual core within a replica, where the name gives one."""
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


def _given(match: re.Match[str]) -> dict[str, str | int | None]:
    found: dict[str, str | int | None] = {}
    for key, text in match.groupdict().items():
        if text is None:
            continue
        if key == "kind":
            found[key] = text.upper()
        elif key == "job":
            found[key] = text
        else:
            found[key] = None if text == "*" else int(text)
    return found
