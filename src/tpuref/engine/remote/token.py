"""The token that a client must send to a server."""

import os
from typing import Any

from tpuref.base import error_codes as codes

VARIABLE = "TPUREF_TOKEN"
"""The environment variable with the default token of servers and sessions."""


def checked_token(given: Any, function: str) -> str | None:
    """Return a valid token, by default that of the environment, or None.

    Messages name `function`, but never contain the token.
    """
    name = f"{function}: token" if given is not None else VARIABLE
    token = os.environ.get(VARIABLE) if given is None else given
    if token is None:
        return None
    if not isinstance(token, str):
        raise codes.WRONG_ARGUMENT_TYPE.type_error(
            f"{name} must be text, got {type(token).__name__}"
        )
    if not _fits_in_header(token):
        raise codes.INVALID_SETTING.value_error(
            f"{name} must be printable ASCII, neither empty nor with spaces at its "
            "ends; leave it out to use none"
        )
    return token


def bearer(token: str) -> str:
    """Return the header that contains a token."""
    return f"Bearer {token}"


def _fits_in_header(token: str) -> bool:
    """Return whether the other side receives the token unchanged."""
    printable = token.isascii() and token.isprintable()
    return printable and token != "" and token == token.strip()
