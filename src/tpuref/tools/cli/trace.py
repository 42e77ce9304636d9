"""The command ``tpuref trace``: records the activity of a script's cores and host."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from typing import TYPE_CHECKING, Any

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
EPILOG = """examples:
  tpuref trace --cores 8 train.py --epochs 1
  tpuref trace --steps 10:12 --summary train.py"""

COPIED_BYTES = 16 << 20
"""The size of the blocks that the memory's bandwidth is measured with."""


def add(trace: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    trace.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        default="trace.json.gz",
        help="the trace, by default trace.json.gz; compressed if it ends in .gz",
    )
    trace.add_argument(
        "--steps",
        metavar="FIRST:LAST",
        type=_steps,
        help="record only these calls of Session.run with replicated computations, "
        "the first of which is 1",
    )
    trace.add_argument(
        "--summary",
        action="store_true",
        help="print a table of the types of operations instead",
    )
    trace.add_argument(
        "--json",
        action="store_true",
        help="print the summary as JSON; the script's output goes to standard error",
    )
    add_script(trace)


def run(options: argparse.Namespace) -> int:
    """Run the script, write the trace, print the summary, return the exit status."""
    try:
        apply_settings(options)
        steps = _Steps(options.output, *(options.steps or (1, None)))
    except (ImportError, OpError, OSError, ValueError) as error:
        return fail(NAME, error)
    try:
        with redirect_stdout(sys.stderr if options.json else sys.stdout):
            run_script(options)
    finally:
        summary = steps.end()
        if summary is not None:
            _print(summary, options)
    if summary is None:
        made = f"the script has {steps.taken} calls of Session.run on cores"
        return fail(NAME, ValueError(f"--steps: {made}; nothing was recorded"))
    return 0


def _steps(text: str) -> tuple[int, int]:
    first, _, last = text.partition(":")
    if not (first.isdigit() and last.isdigit() and 1 <= int(first) <= int(last)):
        raise argparse.ArgumentTypeError(
            f"expected FIRST:LAST with 1 <= FIRST <= LAST, such as 10:12, got {text!r}"
        )
    return int(first), int(last)


class _Steps:
    """Records from the first step to the last, or all of the script without one.

    `taken` is the number of steps so far.
    """

    def __init__(self, output: str, first: int, last: int | None) -> None:
        from tpuref.interface.profiler import profile

        self._profiler, self._output = profile, output
        self._first, self._last = first, last
        self._summary: Summary | None = None
        self._replicated = False
        self._restore: Callable[[], None] = lambda: None
        self.taken = 0
        if first == 1:
            profile.start(output)
        if last is not None:
            self._count()

    def _count(self) -> None:
        """Count the calls of `Session.run` that run a replicated computation."""
        from tpuref.engine.graph.session import Session
        from tpuref.engine.runtime.replication import OBSERVERS

        run = Session.run

        def observe(*args: Any) -> None:
            self._replicated = True

        def counted(session: Session, *args: Any, **kwargs: Any) -> Any:
            self._replicated = False
            try:
                return run(session, *args, **kwargs)
            finally:
                if self._replicated:
                    self._step()

        def restore() -> None:
            OBSERVERS.remove(observe)
            setattr(Session, "run", run)  # noqa: B010

        OBSERVERS.append(observe)
        setattr(Session, "run", counted)  # noqa: B010
        self._restore = restore

    def _step(self) -> None:
        self.taken += 1
        if self.taken == self._first - 1:
            self._profiler.start(self._output)
        elif self.taken == self._last:
            self._summary = self._profiler.stop()

    def end(self) -> Summary | None:
        """Stop recording; return the summary, or None if no step was recorded."""
        self._restore()
        if self._summary is None and self.taken >= self._first - 1:
            self._summary = self._profiler.stop()
        return self._summary


def _print(summary: Summary, options: argparse.Namespace) -> None:
    if options.json:
        print(json.dumps({"file": options.output, **summary.as_dict()}, indent=2))
    elif options.summary:
        from tpuref.tools.benchmarks.machine import MemoryCopy

        with MemoryCopy(COPIED_BYTES) as copy:
            print(summary.by_type(copy.seconds_per_byte()))
        print(f"the trace: {options.output}")
    else:
        print(f"{summary}\nthe trace: {options.output}")
