"""An error of a core, as the host raises it."""

from __future__ import annotations

from tpuref.base import errors
from tpuref.base.callsite import CallSite
from tpuref.base.errors import OpError


class RemoteTraceback(Exception):
    """The traceback of an error, as text from the process where it was raised."""

    def __str__(self) -> str:
        return f"\n{self.args[0]}"


def remote_traceback(text: str) -> RemoteTraceback | None:
    """Return the cause that shows what a core wrote, None where it wrote nothing."""
    return RemoteTraceback(text) if text else None


def rebuilt(
    name: str,
    message: str,
    op: str | None,
    site: tuple[str, int, str, str | None] | None,
    text: str,
) -> OpError:
    """Return the error of a core, with its traceback there as the cause."""
    kind: type[OpError] = getattr(errors, name)
    error = kind(message, op=op, site=None if site is None else CallSite(*site))
    error.__cause__ = remote_traceback(text)
    return error
