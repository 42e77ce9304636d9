"""A Cloud TPU service on this computer: API, discovery and metadata server."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from contextlib import AbstractContextManager
from http.server import ThreadingHTTPServer

from tpuref.tools.testing.environment import environment
from tpuref.tools.testing.http_answers import CUT, Request, handler
from tpuref.tools.testing.node import Node, Nodes


class FakeCloudTPU:
    """A Cloud TPU service on this computer, to test programs that look up TPUs.

    It serves HTTP on a port of the loopback interface, with everything that Google's
    API client requests: the description of the API, TPUs by name and as a list, a
    token, and the paths of the metadata server, which require the real one's header.
    `nodes` are the TPUs by name: `Node`, or one address, or a list of addresses.
    `project` and `zone` are the location of the TPUs and, for the metadata server, of
    this machine.  `address` is the address of this machine, for the metadata server.
    `port` is the port to listen on; 0 is a free one.  The attribute `nodes` is a
    dictionary that accepts the same values as the argument and may change at any time.
    `latency` is the number of seconds that every answer takes, initially 0.  `requests`
    has the requests so far, in order: ``path`` and ``headers``.  `token` is the token
    that requests to the API must send; others get status 401.  None, the initial value,
    accepts all.  It raises ValueError if an address does not have the form
    ``host:port``, and TypeError if a node has another type.

    Examples
    --------
    >>> from tpuref.testing import FakeCloudTPU
    >>> nodes = {"my-tpu": ["10.1.2.3:8470", "10.1.2.4:8470"]}
    >>> with FakeCloudTPU(nodes) as cloud, cloud.environment():
    ...     print(list(cloud.variables()))
    ['TPU_API_DISCOVERY_URL', 'GCE_METADATA_HOST', 'GCE_METADATA_IP', 'no_proxy']

    Within such a block, ``TPUClusterResolver("my-tpu")`` finds
    ``grpc://10.1.2.3:8470``.
    """

    def __init__(
        self,
        nodes: Mapping[str, Node | str | list[str]] | None = None,
        *,
        project: str = "fake-project",
        zone: str = "us-central1-b",
        address: str = "127.0.0.1",
        port: int = 0,
    ) -> None:
        self.nodes = Nodes(nodes or {})
        self.project = project
        self.zone = zone
        self.address = address
        self.latency = 0.0
        self.requests: list[Request] = []
        self.token: str | None = None
        self._wanted_port = port
        self._failures: list[tuple[int | str, str]] = []
        self._lock = threading.Lock()
        self._server: ThreadingHTTPServer | None = None
        self._over = threading.Event()

    def start(self) -> FakeCloudTPU:
        """Start listening, and return the service.  A ``with`` statement does so too.

        It raises RuntimeError if it is already listening.
        """
        if self._server is not None:
            raise RuntimeError("FakeCloudTPU.start: the service is already running")
        self._over.clear()
        server = ThreadingHTTPServer(("127.0.0.1", self._wanted_port), handler(self))
        self._server = server
        threading.Thread(
            target=server.serve_forever,
            kwargs={"poll_interval": 0.05},
            name="tpuref-fake-cloud-tpu",
            daemon=True,
        ).start()
        return self

    def stop(self) -> None:
        """Stop listening; delayed answers are sent immediately."""
        if self._server is not None:
            self._over.set()
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def __enter__(self) -> FakeCloudTPU:
        return self.start()

    def __exit__(self, *raised: object) -> None:
        self.stop()

    @property
    def host(self) -> str:
        """``127.0.0.1:port``; RuntimeError if the service is not running."""
        if self._server is None:
            raise RuntimeError(
                "FakeCloudTPU: the service is not running; use `with FakeCloudTPU()"
                " as cloud:`, or call start()"
            )
        return f"127.0.0.1:{self._server.server_address[1]}"

    @property
    def discovery_url(self) -> str:
        """The template for the argument `discovery_url` of a resolver."""
        return f"http://{self.host}/discovery/v1/apis/{{api}}/{{apiVersion}}/rest"

    def variables(self) -> dict[str, str]:
        """Return the environment variables that direct a program to this service."""
        other = os.environ.get("no_proxy") or os.environ.get("NO_PROXY")
        return {
            "TPU_API_DISCOVERY_URL": self.discovery_url,
            "GCE_METADATA_HOST": self.host,
            "GCE_METADATA_IP": self.host,
            "no_proxy": f"{other},127.0.0.1" if other else "127.0.0.1",
        }

    def environment(self) -> AbstractContextManager[None]:
        """Set those variables in this process within a ``with`` block.

        Google's client uses them even if it was imported before.  Threads take turns: a
        block waits until those of other threads end.  It raises RuntimeError if another
        thread stays in its block for a minute.
        """
        return environment(self.variables())

    def fail(self, status: int | str, times: int = 1, path: str = "/nodes") -> None:
        """Answer the next requests with an error.

        `status` is an HTTP status such as 403, 429 or 500; or ``"cut"``, which ends the
        connection without an answer.  `times` is the number of requests that fail.
        `path` is a part of the paths of these requests, by default of all requests for
        TPUs.  It raises ValueError if `status` is not an error.
        """
        error = status == CUT or (isinstance(status, int) and 400 <= status < 600)
        if not error or times < 1:
            raise ValueError(
                "FakeCloudTPU.fail: status must be an HTTP status from 400 to 599 or "
                f"{CUT!r}, and times at least 1; got {status!r} and {times!r}"
            )
        with self._lock:
            self._failures += [(status, path)] * times

    def next_failure(self, path: str) -> int | str | None:
        """Remove and return the next failure for a request with that path, or None."""
        with self._lock:
            for failure in self._failures:
                if failure[1] in path:
                    self._failures.remove(failure)
                    return failure[0]
        return None

    def record(self, request: Request) -> None:
        """Record a request, and delay its answer."""
        with self._lock:
            self.requests.append(request)
        self._over.wait(self.latency)
