"""The packages and the credentials of remote sessions."""

import os
from importlib.util import find_spec
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.errors import coded
from tpuref.base.extras import install_line


def check_installed(function: str) -> None:
    """Raise ImportError with the command to install a missing package."""
    missing = [name for name in ("grpc", "proto") if find_spec(name) is None]
    if missing:
        raise coded(
            ImportError,
            f"{function}: remote sessions need the module {missing[0]!r}, which is not "
            f"installed: {install_line('tpuref[cloud]')}",
            code=codes.NOT_INSTALLED,
        )
    # By default gRPC logs every connection that ends to standard error.
    os.environ.setdefault("GRPC_VERBOSITY", "ERROR")


def check_credentials(credentials: Any, kind: type, function: str) -> None:
    """Raise TypeError unless the credentials are None or have gRPC's class."""
    if credentials is not None and not isinstance(credentials, kind):
        raise codes.WRONG_ARGUMENT_TYPE.type_error(
            f"{function}: credentials must be a grpc.{kind.__name__}, got "
            f"{type(credentials).__name__}"
        )
