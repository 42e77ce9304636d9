"""An error of a core, as the host raises it."""

from __future__ import annotations

from tpuref.base import errors
from tpuref.base.callsite import CallSite
from tpuref.base.errors import OpError
from tpuref.engine.runtime.pool.messages import Failure


class RemoteTraceback(Exception):
    """The traceback of an error, as text from the process where it was raised."""

    def __str__(self) -> str:
        return f"\n{self.args[0]}"


def remote_traceback(text: str) -> RemoteTraceback | None:
    """Return a cause that shows what a core wrote, None if it wrote nothing."""
    return RemoteTraceback(text) if text else None


def rebuilt(failure: Failure) -> OpError:
    """Return the error of a core, with the core's traceback as its cause."""
    kind: type[OpError] = getattr(errors, failure.kind)
    site = None if failure.site is None else CallSite(*failure.site)
    error = kind(failure.message, op=failure.op, site=site)
    error.__cause__ = remote_traceback(failure.text)
    return error
