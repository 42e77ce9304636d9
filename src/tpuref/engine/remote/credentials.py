"""The credentials of TLS connections."""

from __future__ import annotations

from typing import Any

from tpuref.base import error_codes as codes


def check_credentials(given: Any, kind: type, function: str) -> None:
    """Raise TypeError unless the credentials are None or have gRPC's class."""
    if given is not None and not isinstance(given, kind):
        raise codes.WRONG_ARGUMENT_TYPE.type_error(
            f"{function}: credentials must be a grpc.{kind.__name__}, got "
            f"{type(given).__name__}"
        )
