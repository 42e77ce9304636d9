"""What an error of the Cloud TPU API means: it may pass, or there is no such TPU."""

from __future__ import annotations

import http.client
import socket
import sys

from tpuref.base import error_codes as codes
from tpuref.base.errors import coded
from tpuref.base.masking import masked

_PASSING_STATUS = (408, 429, 500, 502, 503, 504)
_DENYING_STATUS = (401, 403)


def may_pass(error: Exception) -> bool:
    """Whether the error may be gone at the next attempt."""
    status = _status(error)
    return is_connection_error(error) if status is None else status in _PASSING_STATUS


def is_connection_error(error: Exception) -> bool:
    """Whether the connection failed, as any of the libraries below says it."""
    if isinstance(
        error,
        (ConnectionError, TimeoutError, socket.gaierror, http.client.HTTPException),
    ):
        return True
    httplib2 = sys.modules.get("httplib2")
    if httplib2 is not None and isinstance(error, httplib2.ServerNotFoundError):
        return True
    return bool(getattr(error, "retryable", False))  # of google.auth


def has_status(error: Exception) -> bool:
    """Whether the error is an answer, with an HTTP status."""
    return _status(error) is not None


def is_own(error: Exception) -> bool:
    """Whether the error is one of tpuref's, which says all there is to say."""
    return codes.PATTERN.search(str(error)) is not None


def unknown(path: str, name: str, reason: str) -> ValueError:
    """Return the error for a TPU that cannot be looked up."""
    hint = f"; to connect to an address give tpu='grpc://{name}'" if ":" in name else ""
    return coded(
        ValueError,
        masked(f"there is no TPU {name!r}: asked for {path!r}: {reason}{hint}. Check ")
        + "name, zone and project",
        code=codes.UNKNOWN_TPU,
    )


def refusal(path: str, name: str, asked: str, error: Exception) -> ValueError:
    """Return the error for a question that was answered with an error that stays.

    Parameters
    ----------
    path, name
        Which TPU was asked for.
    asked
        Who was asked, with which credentials.
    error
        The error.
    """
    told = str(error) if _status(error) == 404 else f"{type(error).__name__}: {error}"
    if not _is_denial(error):
        return unknown(path, name, told)
    return coded(
        ValueError,
        masked(f"TPU {name!r} cannot be seen: asked for {path!r} at {asked}: {told}. ")
        + "Give credentials= that may read the TPUs of the project, or check name, "
        "zone and project",
        code=codes.TPU_ACCESS_DENIED,
    )


def _is_denial(error: Exception) -> bool:
    """Whether another user, or a newer token, might get an answer."""
    of_google_auth = type(error).__module__.startswith("google.auth.")
    denied = _status(error) in _DENYING_STATUS or isinstance(error, PermissionError)
    return denied or of_google_auth


def _status(error: Exception) -> int | None:
    """Return the HTTP status of an error answer, where the library's errors have it."""
    response = getattr(error, "resp", getattr(error, "response", None))
    for holder, name in (
        (response, "status"),
        (response, "status_code"),
        (error, "status_code"),
        (error, "code"),
    ):
        status = getattr(holder, name, None)
        if isinstance(status, int):
            return int(status)
    return None
