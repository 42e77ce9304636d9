"""The packages that remote sessions need."""

from __future__ import annotations

import os
from importlib.util import find_spec

from tpuref.base import error_codes as codes
from tpuref.base.errors import coded


def check_installed(function: str) -> None:
    """Raise an ImportError that says what to install if a package is missing.

    Parameters
    ----------
    function
        The function that needs the packages, for the message.
    """
    missing = [name for name in ("grpc", "proto") if find_spec(name) is None]
    if missing:
        raise coded(
            ImportError,
            f"{function}: remote sessions need the module {missing[0]!r}, which is not "
            "installed: pip install 'tpuref[grpc]'",
            code=codes.NOT_INSTALLED,
        )
    # Otherwise gRPC writes to standard error whenever a connection ends.
    os.environ.setdefault("GRPC_VERBOSITY", "ERROR")
