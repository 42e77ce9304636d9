"""The process of ``tpuref compile`` that runs the script and records its programs.

``python -m tpuref.tools.cli.capture FOLDER STEPS [OPTION...] SCRIPT [ARGUMENT...]``
writes the programs and ``index.json`` into the folder.
"""

import argparse
import json
import os
import sys
from collections import Counter
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from tpuref.tools.cli.failure import fail
from tpuref.tools.cli.run import add_program, apply_settings, run_script

LISTED = 5
"""The number of kinds of operations that describe a script without a program."""


def main() -> int:
    """Run the script until a program has run STEPS times; return the exit status."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("steps", type=int)
    add_program(parser)
    none = {"topology": None, "cores": None, "executor": None}
    options = parser.parse_args(namespace=argparse.Namespace(**none))
    try:
        apply_settings(options)
    except (ImportError, ValueError) as error:
        return fail("compile", error)
    capture = _Capture(options.folder, options.steps)
    try:
        with redirect_stdout(sys.stderr):
            run_script(options)
    finally:
        capture.write()
    return 0


class _Capture:
    """Records programs; the process ends when one has run often enough."""

    def __init__(self, folder: Path, steps: int) -> None:
        from tpuref.engine.graph.session import Session
        from tpuref.engine.runtime.replication import OBSERVERS
        from tpuref.tools.tpu_compiler.request import Recorder

        self._folder, self._steps, self._recorder = folder, steps, Recorder()
        OBSERVERS.append(self._observe)
        run = Session.run

        def counted(session: Session, *args: Any, **kwargs: Any) -> Any:
            self._recorder.calls += 1
            return run(session, *args, **kwargs)

        setattr(Session, "run", counted)  # noqa: B010

    def _observe(self, *args: Any) -> None:
        if self._recorder.observe(*args).runs > self._steps:
            self.write()
            sys.stdout.flush()
            sys.stderr.flush()
            # The script may catch what is raised, and its threads may wait for it.
            os._exit(0)

    def write(self) -> None:
        from tpuref.tools.tpu_compiler.request import store

        programs = store(self._recorder.requests.values(), self._folder)
        index = {"programs": programs, "built": _describe_graph()}
        (self._folder / "index.json").write_text(json.dumps(index))


def _describe_graph() -> str:
    """Describe the default graph."""
    from tpuref.engine.graph.default import get_default_graph
    from tpuref.engine.ops.tpu import REPLICATE

    kinds = Counter(op.type for op in get_default_graph().get_operations())
    if not kinds:
        return "its default graph is empty"
    common = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common(LISTED))
    waiting = REPLICATE.name in kinds
    run = "; it has replicated computations that did not run" if waiting else ""
    return f"its default graph has {kinds.total()} operations ({common}){run}"


if __name__ == "__main__":
    sys.exit(main())
