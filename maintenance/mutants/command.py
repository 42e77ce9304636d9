"""``tpuref conformance mutants``."""

import argparse
import fnmatch
import sys

from tpuref_conformance.report import EXIT_COULD_NOT_RUN, EXIT_FAILED, EXIT_PASSED
from tpuref_conformance.suite import load_clauses
from tpuref_conformance.terminal import Progress

from . import MUTANTS
from .hunt import CAUGHT, hunt


def main(arguments):
    """Run the mutants, print those that were not caught, return the exit status."""
    parser = argparse.ArgumentParser(
        prog="tpuref conformance mutants",
        description="Apply deliberately wrong changes to tpuref, one at a time; the "
        "clause that each of them breaks must notice.",
    )
    parser.add_argument(
        "names", metavar="NAME", nargs="*", help="only these; * and ? are wildcards"
    )
    parser.add_argument("--list", action="store_true", help="print them instead")
    options = parser.parse_args(arguments)
    patterns = options.names or ["*"]
    chosen = [
        one
        for one in MUTANTS
        if any(fnmatch.fnmatchcase(one.name, pattern) for pattern in patterns)
    ]
    if not chosen:
        print("tpuref conformance: no mutant has such a name", file=sys.stderr)
        return EXIT_COULD_NOT_RUN
    if options.list:
        for one in chosen:
            print(f"{one.name}: {one.says} ({one.clause})")
        return EXIT_PASSED
    progress = Progress(len(chosen))

    def note(verdict):
        progress.close()
        _print_unless_caught(verdict)
        progress.count(verdict.mutant.name)

    verdicts = hunt(chosen, load_clauses(), note)
    progress.close()
    caught = sum(verdict.state == CAUGHT for verdict in verdicts)
    print(f"{caught} of {len(verdicts)} mutants were caught")
    return EXIT_PASSED if caught == len(verdicts) else EXIT_FAILED


def _print_unless_caught(verdict):
    if verdict.state != CAUGHT:
        mutant = verdict.mutant
        print(f"{verdict.state}: {mutant.name} ({mutant.says})", flush=True)
        print(f"  {mutant.clause}: {verdict.message}", flush=True)
