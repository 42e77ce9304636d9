"""The command ``tpuref fake-cloud-tpu``: a Cloud TPU service on this computer."""

from __future__ import annotations

import argparse
import contextlib
import json
import shlex
import sys
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tpuref.testing import FakeCloudTPU, Node

NAME = "fake-cloud-tpu"

Commands = argparse._SubParsersAction  # the type has no public name

_EPILOG = """examples:
  tpuref fake-cloud-tpu --node my-tpu=10.1.2.3:8470
  tpuref fake-cloud-tpu --node my-tpu=10.1.2.3:8470 --state CREATING --port 8080
  tpuref fake-cloud-tpu --node my-tpu=10.1.2.3:8470 --fail 503x2"""


def add(commands: Commands[argparse.ArgumentParser]) -> None:
    """Add the command to those of ``tpuref``."""
    parser = commands.add_parser(
        NAME,
        help="serve the Cloud TPU API and the metadata server on this computer",
        description="Serve the Cloud TPU API and the metadata server on a loopback "
        "port until interrupted. The printed variables direct programs to them.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--node",
        action="append",
        default=[],
        metavar="NAME=HOST:PORT[,HOST:PORT...]",
        help="a TPU and the addresses of its hosts; may be repeated",
    )
    parser.add_argument("--state", default="READY", help="the state of the TPUs")
    parser.add_argument("--health", default="HEALTHY", help="the health of the TPUs")
    parser.add_argument("--project", default="fake-project", help="their project")
    parser.add_argument("--zone", default="us-central1-b", help="their zone")
    parser.add_argument(
        "--port", type=int, default=0, help="the port; 0, the default, is a free one"
    )
    parser.add_argument(
        "--latency", type=float, default=0, metavar="S", help="seconds per answer"
    )
    parser.add_argument(
        "--fail",
        action="append",
        default=[],
        metavar="STATUS[xTIMES]",
        help="answer the first requests for TPUs with this HTTP status, or 'cut'",
    )
    parser.add_argument(
        "--json", action="store_true", help="print the variables as one JSON object"
    )


def run(options: argparse.Namespace) -> int:
    """Serve until interrupted, and return the exit status."""
    try:
        cloud = _service(options).start()
    except (ValueError, OverflowError, OSError) as error:
        print(f"tpuref {NAME}: {error}", file=sys.stderr)
        return 2
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
    from tpuref.testing import FakeCloudTPU

    nodes = dict(_node(text, options) for text in options.node)
    cloud = FakeCloudTPU(
        nodes, project=options.project, zone=options.zone, port=options.port
    )
    cloud.latency = options.latency
    for text in options.fail:
        status, _, times = text.partition("x")
        cloud.fail(int(status) if status.isdecimal() else status, int(times or 1))
    return cloud


def _node(text: str, options: argparse.Namespace) -> tuple[str, Node]:
    from tpuref.testing import Node

    name, equals, addresses = text.partition("=")
    if not (name and equals and addresses):
        raise ValueError(f"--node must be NAME=HOST:PORT[,HOST:PORT...], got {text!r}")
    hosts = addresses.split(",")
    return name, Node(*hosts, state=options.state, health=options.health)
