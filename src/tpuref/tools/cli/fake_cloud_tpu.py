"""The command ``tpuref fake-cloud-tpu``: a Cloud TPU service on this computer."""

from __future__ import annotations

import argparse
import contextlib
import json
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

EPILOG = """examples:
  tpuref fake-cloud-tpu --node my-tpu=10.1.2.3:8470
  tpuref fake-cloud-tpu --node my-tpu=10.1.2.3:8470 --state CREATING --port 8080"""


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
    return FakeCloudTPU(
        nodes, project=options.project, zone=options.zone, port=options.port
    )


def _node(text: str, options: argparse.Namespace) -> tuple[str, Node]:
    from tpuref.tools.testing import Node

    name, equals, addresses = text.partition("=")
    if not (name and equals and addresses):
        raise ValueError(f"--node must be NAME=HOST:PORT[,HOST:PORT...], got {text!r}")
    return name, Node(*addresses.split(","), state=options.state, health=options.health)
