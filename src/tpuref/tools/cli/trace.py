"""The command ``tpuref trace``: records the activity of a script's cores and host."""

from __future__ import annotations

import argparse
import json
import sys
from contextlib import redirect_stdout
from typing import TYPE_CHECKING

from tpuref.base.errors import OpError
from tpuref.tools.cli.failure import fail
from tpuref.tools.cli.run import add_script, apply_settings, run_script

if TYPE_CHECKING:
    from tpuref.interface.profiler.summary import Summary

NAME = "trace"
HELP = "run a script and write a trace for Perfetto"
DESCRIPTION = """\
Run SCRIPT as `tpuref run` does, write a trace of its cores and the host, and
print a summary. Open the trace at https://ui.perfetto.dev or in
chrome://tracing."""
EPILOG = "example: tpuref trace -o trace.json --cores 8 train.py --steps 100"


def add(trace: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    trace.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        default="trace.json",
        help="the trace, by default trace.json; compressed if it ends in .gz",
    )
    trace.add_argument(
        "--json",
        action="store_true",
        help="print the summary as JSON; the script's output goes to standard error",
    )
    add_script(trace)


def run(options: argparse.Namespace) -> int:
    """Run the script, write the trace, print the summary, return the exit status."""
    from tpuref.interface.profiler import profile as profiler

    try:
        apply_settings(options)
        profiler.start(options.output)
    except (ImportError, OpError, OSError, ValueError) as error:
        return fail(NAME, error)
    try:
        with redirect_stdout(sys.stderr if options.json else sys.stdout):
            run_script(options)
    finally:
        _print(profiler.stop(), options)
    return 0


def _print(summary: Summary, options: argparse.Namespace) -> None:
    if options.json:
        print(json.dumps({"file": options.output, **summary.as_dict()}, indent=2))
    else:
        print(f"{summary}\nthe trace: {options.output}")
