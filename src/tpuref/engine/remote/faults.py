"""Errors as protobuf messages: class, message, operation and the user's line."""

from typing import Any

from tpuref.base import errors
from tpuref.base.callsite import CallSite
from tpuref.base.errors import InternalError, OpError, UnknownError, operation_name
from tpuref.engine.remote.tensors import malformed
from tpuref.engine.runtime.pool.messages import remote_traceback

_CLASSES: dict[int, type[OpError]] = {
    kind.error_code: kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, OpError) and kind is not OpError
}
_BUILTINS: dict[str, type[Exception]] = {
    "NotImplementedError": NotImplementedError,
    "RuntimeError": RuntimeError,
    "TypeError": TypeError,
    "ValueError": ValueError,
}


def class_of(code: int) -> type[OpError]:
    """Return the error class of a status code; gRPC's codes are the same."""
    return _CLASSES.get(code, UnknownError)


def put_fault(message: Any, error: Exception) -> None:
    """Write an error into a message."""
    if type(error).__name__ in _BUILTINS:
        message.builtin = type(error).__name__
        message.message = str(error)
        return
    if not isinstance(error, OpError):
        error = InternalError(f"unexpected error: {type(error).__name__}: {error}")
    message.code = error.error_code
    message.message = error.message
    if error.op is not None:
        message.op = operation_name(error.op)
    if error.site is not None:
        put_site(message.site, error.site)
    if error.__cause__ is not None:
        message.cause = str(error.__cause__)


def error_of(message: Any) -> Exception:
    """Return the error of a message."""
    if message.builtin:
        builtin = _BUILTINS.get(message.builtin)
        if builtin is None:
            raise malformed(f"a fault has the class {message.builtin!r}")
        return builtin(message.message)
    error = class_of(message.code)(
        message.message,
        op=message.op if message.HasField("op") else None,
        site=site_of(message.site) if message.HasField("site") else None,
    )
    error.__cause__ = remote_traceback(message.cause.lstrip("\n"))
    return error


def put_site(message: Any, site: CallSite) -> None:
    """Write a line of the user's program into a message, with its text."""
    message.filename = site.filename
    message.line = site.line
    message.function = site.function
    message.code = site.code


def site_of(message: Any) -> CallSite:
    """Return a line of the user's program; its file may not exist on this computer."""
    return CallSite(message.filename, message.line, message.function, message.code)
