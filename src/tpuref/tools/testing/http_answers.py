"""The answers of the local Cloud TPU service."""

import contextlib
import json
import re
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any, Protocol
from urllib.parse import parse_qs, unquote, urlsplit

from tpuref.tools.testing.discovery import VERSIONS, description
from tpuref.tools.testing.node import Node

METADATA = "/computeMetadata/v1/"
FLAVOR = "Metadata-Flavor"
EMAIL = "fake@example.com"
REASONS = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
}

CUT = "cut"
"""Used like an HTTP status: the connection ends without an answer."""

Answer = tuple[int, Any]

_MOST_NAMED = 10
_NUMBER = re.compile(r"[0-9]{1,9}")


@dataclass(frozen=True)
class Request:
    """A received request: path and query, and headers with lower-case names."""

    path: str
    headers: Mapping[str, str] = field(repr=False)  # they may hold a real token


class Cloud(Protocol):
    """The interface of `tpuref.testing.FakeCloudTPU` that answers use."""

    project: str
    zone: str
    address: str
    token: str | None

    @property
    def nodes(self) -> Mapping[str, Node]:
        """The TPUs by name."""

    @property
    def host(self) -> str:
        """The address of the service, ``host:port``."""

    def record(self, request: Request) -> None:
        """Record a request, and delay its answer."""

    def next_failure(self, path: str) -> int | str | None:
        """Remove and return the next failure for a request with that path, or None."""


def handler(cloud: Cloud) -> type[BaseHTTPRequestHandler]:
    """Return the handler class for requests to `cloud`."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle(self) -> None:
            """Answer until the client disconnects."""
            with contextlib.suppress(ConnectionError):
                super().handle()

        def do_GET(self) -> None:
            """Answer."""
            headers = {name.lower(): value for name, value in self.headers.items()}
            cloud.record(Request(self.path, headers))
            failure = cloud.next_failure(self.path)
            if failure == CUT:
                self._cut()
            elif isinstance(failure, int):
                self._send(*failed(failure, "requested by the test"))
            else:
                self._send(*answer(cloud, self.path, headers))

        def _send(self, status: int, content: Any) -> None:
            text = content if isinstance(content, str) else json.dumps(content)
            body = text.encode()
            kind = "text" if isinstance(content, str) else "json"
            with contextlib.suppress(ConnectionError):
                self.send_response(status)
                self.send_header("Content-Type", f"application/{kind}")
                self.send_header("Content-Length", str(len(body)))
                if self.path.startswith(METADATA) or self.path == "/":
                    self.send_header(FLAVOR, "Google")
                self.end_headers()
                self.wfile.write(body)

        def _cut(self) -> None:
            self.close_connection = True
            with contextlib.suppress(OSError):
                self.connection.shutdown(socket.SHUT_RDWR)

        def log_message(self, format: str, *arguments: Any) -> None:
            """Log nothing: the requests are in ``FakeCloudTPU.requests``."""

    return Handler


def answer(cloud: Cloud, target: str, headers: Mapping[str, str]) -> Answer:
    """Return status and content of the answer to a GET request."""
    try:
        parts = urlsplit(target)
    except ValueError as error:
        return failed(400, f"the path is malformed: {error}")
    path, query = unquote(parts.path), parse_qs(parts.query)
    if path == "/":
        return 200, "computeMetadata/"
    if path.startswith(METADATA):
        return _metadata(cloud, path.removeprefix(METADATA).strip("/"), headers, query)
    if path.startswith("/discovery/v1/apis/") or path == "/$discovery/rest":
        return _discovery(cloud, path, query)
    return _api(cloud, path.strip("/").split("/"), headers, query)


def failed(status: int, message: str) -> Answer:
    """Return an error in the form of Google's services."""
    reason = REASONS.get(status, "UNKNOWN")
    return status, {"error": {"code": status, "message": message, "status": reason}}


def _metadata(
    cloud: Cloud, path: str, headers: Mapping[str, str], query: Mapping[str, list[str]]
) -> Answer:
    if headers.get(FLAVOR.lower()) != "Google":
        return 403, f"the header {FLAVOR}: Google is missing"
    account = "instance/service-accounts/default"
    path = path.replace(f"service-accounts/{EMAIL}", "service-accounts/default")
    answers: dict[str, Any] = {
        "project/project-id": cloud.project,
        "instance/zone": f"projects/123456/zones/{cloud.zone}",
        "instance/network-interfaces/0/ip": cloud.address,
        "universe/universe-domain": "googleapis.com",
        f"{account}/email": EMAIL,
        f"{account}/token": {
            "access_token": cloud.token or "fake-token",
            "expires_in": 3600,
            "token_type": "Bearer",
        },
    }
    if path == account and query.get("recursive") == ["true"]:
        return 200, {"email": EMAIL, "scopes": [], "aliases": ["default"]}
    return (200, answers[path]) if path in answers else (404, f"there is no {path}")


def _discovery(cloud: Cloud, path: str, query: Mapping[str, list[str]]) -> Answer:
    words = path.strip("/").split("/")
    api, version = "tpu", query.get("version", [""])[0]
    if words[0] == "discovery" and len(words) == 6:
        api, version = words[3], words[4]
    if api != "tpu" or version not in VERSIONS:
        return failed(404, f"there is no API {api!r} of version {version!r} here")
    return 200, description(f"http://{cloud.host}/", version)


def _api(
    cloud: Cloud,
    words: list[str],
    headers: Mapping[str, str],
    query: Mapping[str, list[str]],
) -> Answer:
    if cloud.token is not None and headers.get("authorization") != (
        f"Bearer {cloud.token}"
    ):
        return failed(401, "the request has no valid token")
    parent = ["projects", cloud.project, "locations", cloud.zone, "nodes"]
    path, requested = "/".join(parent), "/".join(words[1:])
    if words[0] in VERSIONS and requested == path:
        return _page_of_nodes(cloud, path, query)
    node = cloud.nodes.get(requested.removeprefix(f"{path}/"))
    if words[0] in VERSIONS and requested.startswith(f"{path}/") and node is not None:
        return 200, node.answer(requested)
    names = [f"{path}/{name}" for name in list(cloud.nodes)]
    return failed(404, f"{requested!r} was not found; this service has {_some(names)}")


def _some(names: list[str]) -> str:
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(names[:_MOST_NAMED]) + more or "no TPU"


def _page_of_nodes(cloud: Cloud, path: str, query: Mapping[str, list[str]]) -> Answer:
    size, start = query.get("pageSize", ["100"])[0], query.get("pageToken", ["0"])[0]
    if not (_NUMBER.fullmatch(size) and _NUMBER.fullmatch(start) and int(size) > 0):
        return failed(400, "pageSize and pageToken must be whole numbers")
    names = list(cloud.nodes)
    end = int(start) + int(size)
    page = [cloud.nodes[n].answer(f"{path}/{n}") for n in names[int(start) : end]]
    return 200, {"nodes": page} | (
        {"nextPageToken": str(end)} if end < len(names) else {}
    )
