"""The metadata server of a virtual machine in Google Cloud."""

import os
import re
from pathlib import Path

from tpuref.base import error_codes as codes
from tpuref.interface.cluster_resolver.addresses import checked_host, split
from tpuref.interface.cluster_resolver.patience import Budget, Patience

HOST = "metadata.google.internal"
HOST_VARIABLES = ("GCE_METADATA_HOST", "GCE_METADATA_IP")
PRODUCT_NAME = Path("/sys/class/dmi/id/product_name")

_LONGEST_ATTEMPT = 1.0
_LONGEST_ANSWER = 4096
_TEXT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,254}")


class _BusyError(Exception):
    """The server asks to try again later, or its answer is not HTTP."""


class Metadata:
    """The metadata server's information about this machine, requested on demand.

    All requests share one time budget, which starts with the first.
    """

    def __init__(self, patience: Patience) -> None:
        self._patience = patience
        self._budget: Budget | None = None

    def project(self) -> str:
        """Return the project of this machine."""
        return self._text("project", "project/project-id")

    def zone(self) -> str:
        """Return the zone of this machine, without its path."""
        return self._text("zone", "instance/zone")

    def address(self) -> str:
        """Return the address of this machine in its network."""
        path = "instance/network-interfaces/0/ip"
        try:
            return checked_host(self._request("address", path), f"metadata {path}")
        except ValueError as error:
            raise RuntimeError(str(error)) from None

    def _text(self, field: str, path: str) -> str:
        text = self._request(field, path).rpartition("/")[2]
        if _TEXT.fullmatch(text) is None:
            raise codes.SERVER_UNREACHABLE.runtime_error(
                f"metadata {path}: {host()} answered {text[:80]!r}, which is not a "
                f"valid {field}; pass {field}="
            )
        return text

    def _request(self, field: str, path: str) -> str:
        if self._budget is None:
            self._budget = Budget(self._patience.metadata, self._patience.clock)
        return self._budget.ask(
            f"{field} of this machine (metadata {path})",
            host,
            lambda: answer(path),
            lambda error: isinstance(error, (OSError, _BusyError)),
            _LONGEST_ATTEMPT,
        )


def host() -> str:
    """Return the name of the metadata server, with its port if not the default."""
    for variable in HOST_VARIABLES:
        if os.environ.get(variable):
            return os.environ[variable]
    return HOST


def answer(path: str) -> str:
    """Return the metadata server's answer to one request."""
    import http.client

    name, port = split(host(), "the metadata server", 80)
    connection = http.client.HTTPConnection(name, port, timeout=_LONGEST_ATTEMPT)
    try:
        connection.request(
            "GET", f"/computeMetadata/v1/{path}", headers={"Metadata-Flavor": "Google"}
        )
        response = connection.getresponse()
        body = response.read(_LONGEST_ANSWER)
    except http.client.HTTPException as error:
        raise _BusyError(f"{type(error).__name__}: {error}") from error
    finally:
        connection.close()
    if response.status == 429 or response.status >= 500:
        raise _BusyError(f"HTTP {response.status} {response.reason}")
    if response.status != 200 or response.getheader("Metadata-Flavor") != "Google":
        raise codes.SERVER_UNREACHABLE.runtime_error(
            f"metadata {path}: {host()} answered HTTP {response.status} "
            f"{response.reason}, which is not the answer of a metadata server"
        )
    return body.decode("latin-1").strip()


def in_google_cloud() -> bool:
    """Return whether this is a machine of Google Cloud: a metadata server answers."""
    # Elsewhere a request would wait for its time limit, so one is made only if a
    # variable names a server or the machine's product name is Google's.
    if not (any(map(os.environ.get, HOST_VARIABLES)) or _is_google_machine()):
        return False
    try:
        answer("project/project-id")
    except (OSError, _BusyError, RuntimeError, ValueError):
        return False
    return True


def _is_google_machine() -> bool:
    try:
        return PRODUCT_NAME.read_text().startswith("Google")
    except OSError:
        return False
