"""The command ``tpuref fake-cloud-tpu``: a Cloud TPU service on this computer."""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import re
import shlex
import threading
from typing import TYPE_CHECKING

from tpuref.tools.cli.failure import fail

if TYPE_CHECKING:
    from tpuref.tools.testing import FakeCloudTPU, Node

NAME = "fake-cloud-tpu"
HELP = "serve the Cloud TPU API and the metadata server on this computer"
DESCRIPTION = (
    "Serve the Cloud TPU API and the metadata server on a loopback "
    "port until interrupted. The printed variables direct programs to them."
)

_FAILURE = re.compile(r"([0-9]{3}|cut)(?:x([0-9]{1,6}))?")
EPILOG = """examples:
  tpuref fake-cloud-tpu --node my-tpu=10.1.2.3:8470
  tpuref fake-cloud-tpu --node my-tpu=10.1.2.3:8470 --state CREATING --port 8080
  tpuref fake-cloud-tpu --node my-tpu=10.1.2.3:8470 --fail 503x2"""


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument(
        "--node",
        action="append",
        default=[],
        metavar="NAME=HOST:PORT[,HOST:PORT...]",
        help="a TPU and the addresses of its hosts; may be repeated (default: no TPU)",
    )
    for name, default, meaning in (
        ("state", "READY", "the state of the TPUs"),
        ("health", "HEALTHY", "the health of the TPUs"),
        ("project", "fake-project", "their project"),
        ("zone", "us-central1-b", "their zone"),
    ):
        parser.add_argument(
            f"--{name}", default=default, help=f"{meaning} (default: {default})"
        )
    parser.add_argument(
        "--port",
        type=int,
        default=0,
        help="the port to listen on (default: 0, a free one)",
    )
    parser.add_argument(
        "--latency",
        type=float,
        default=0.0,
        metavar="S",
        help="seconds per answer (default: %(default)s)",
    )
    parser.add_argument(
        "--fail",
        action="append",
        default=[],
        metavar="STATUS[xTIMES]",
        help="answer the first request for a TPU, or the first TIMES, with this HTTP "
        "status, or 'cut' the connection (default: answer all)",
    )
    parser.add_argument(
        "--json", action="store_true", help="print the variables as one JSON object"
    )


def run(options: argparse.Namespace) -> int:
    """Serve until interrupted, and return the exit status."""
    try:
        cloud = _service(options).start()
    except (ValueError, OverflowError, OSError) as error:
        return fail(NAME, error)
    with contextlib.suppress(KeyboardInterrupt):
        _print(cloud.variables(), options)
        threading.Event().wait()
    cloud.stop()
    return 0


def _print(variables: dict[str, str], options: argparse.Namespace) -> None:
    if options.json:
        print(json.dumps(variables), flush=True)
        return
    for name, value in variables.items():
        print(f"export {name}={shlex.quote(value)}", flush=True)


def _service(options: argparse.Namespace) -> FakeCloudTPU:
    from tpuref.tools.testing import FakeCloudTPU

    nodes = dict(_node(text, options) for text in options.node)
    cloud = FakeCloudTPU(
        nodes, project=options.project, zone=options.zone, port=options.port
    )
    if not 0 <= options.latency < math.inf:
        raise ValueError(
            f"--latency must be a number of seconds from 0 up, got {options.latency}"
        )
    cloud.latency = options.latency
    for text in options.fail:
        cloud.fail(*_failure(text))
    return cloud


def _failure(text: str) -> tuple[int | str, int]:
    """Return an HTTP status (or ``cut``), and the number of requests with it."""
    match = _FAILURE.fullmatch(text)
    if match is None:
        raise ValueError(
            f"--fail must be STATUS[xTIMES], such as 503x2, or cut, got {text!r}"
        )
    status, times = match.groups()
    return int(status) if status.isdecimal() else status, int(times or 1)


def _node(text: str, options: argparse.Namespace) -> tuple[str, Node]:
    from tpuref.tools.testing import Node

    name, equals, addresses = text.partition("=")
    if not (name and equals and addresses):
        raise ValueError(f"--node must be NAME=HOST:PORT[,HOST:PORT...], got {text!r}")
    hosts = addresses.split(",")
    return name, Node(*hosts, state=options.state, health=options.health)
