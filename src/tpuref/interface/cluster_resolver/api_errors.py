"""Errors of the Cloud TPU API: transient, no such TPU, or no access."""

import socket
import sys

from tpuref.base import error_codes as codes
from tpuref.base.masking import masked

_TRANSIENT_STATUS = (408, 429, 500, 502, 503, 504)
_DENYING_STATUS = (401, 403)


def is_transient(error: Exception) -> bool:
    """Return whether another attempt may succeed."""
    status = _status(error)
    if status is None:
        return is_connection_error(error)
    return status in _TRANSIENT_STATUS


def is_connection_error(error: Exception) -> bool:
    """Return whether an error of an underlying library means a failed connection."""
    # The libraries are looked up, not imported: an error of one that is not loaded
    # cannot exist.
    if isinstance(error, (ConnectionError, TimeoutError, socket.gaierror)):
        return True
    http = sys.modules.get("http.client")  # slow to import, and needed by few programs
    if http is not None and isinstance(error, http.HTTPException):
        return True
    httplib2 = sys.modules.get("httplib2")
    if httplib2 is not None and isinstance(error, httplib2.ServerNotFoundError):
        return True
    return bool(getattr(error, "retryable", False))  # of google.auth


def has_status(error: Exception) -> bool:
    """Return whether the error is an HTTP response with a status."""
    return _status(error) is not None


def is_own(error: Exception) -> bool:
    """Return whether the error is one of tpuref's, with a code."""
    return codes.PATTERN.search(str(error)) is not None


def unknown(path: str, name: str, reason: str) -> ValueError:
    """Return the error for a TPU that cannot be looked up."""
    hint = f"; to connect to an address use tpu='grpc://{name}'" if ":" in name else ""
    return codes.UNKNOWN_TPU.value_error(
        masked(f"there is no TPU {name!r}: requested {path!r}: {reason}{hint}. Check ")
        + "name, zone and project"
    )


def refusal(path: str, name: str, service: str, error: Exception) -> ValueError:
    """Return the error for a request that failed for good with `error`.

    `service` describes the service and the credentials of the request.
    """
    reason = str(error) if _status(error) == 404 else f"{type(error).__name__}: {error}"
    if not _is_denial(error):
        return unknown(path, name, reason)
    return codes.TPU_ACCESS_DENIED.value_error(
        masked(
            f"no access to TPU {name!r}: requested {path!r} from {service}: {reason}. "
        )
        + "Pass credentials= that may read the TPUs of the project, or check name, "
        "zone and project"
    )


def _is_denial(error: Exception) -> bool:
    """Return whether other credentials, or a newer token, might succeed."""
    of_google_auth = type(error).__module__.startswith("google.auth.")
    denied = _status(error) in _DENYING_STATUS or isinstance(error, PermissionError)
    return denied or of_google_auth


def _status(error: Exception) -> int | None:
    """Return the HTTP status of an error response of any supported library."""
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
