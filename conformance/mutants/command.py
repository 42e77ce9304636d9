"""``tpuref conformance mutants``."""

import argparse
import fnmatch
import json
import sys

from ..report import EXIT_COULD_NOT_RUN, EXIT_FAILED, EXIT_PASSED
from ..suite import load_clauses
from . import MUTANTS
from .cosmic_process import CannotHunt, hunted
from .hunt import CAUGHT, hunt


def main(arguments):
    """Run the mutants, print those that were not caught, return the exit status."""
    parser = argparse.ArgumentParser(
        prog="tpuref conformance mutants",
        description="Apply deliberately wrong changes to tpuref, one at a time; the "
        "clause that each of them breaks has to notice.",
    )
    parser.add_argument(
        "names",
        metavar="NAME",
        nargs="*",
        help="only these; * and ? are wildcards; with --cosmic-ray parts of the names "
        "of modules",
    )
    parser.add_argument("--list", action="store_true", help="print them instead")
    parser.add_argument(
        "--cosmic-ray",
        action="store_true",
        help="make the mutants with cosmic-ray instead, of tpuref.tpu, "
        "tpuref.distribute and tpuref.cluster_resolver; each of them has to be "
        "noticed by some clause, or judged in conformance/mutants/survivors",
    )
    parser.add_argument(
        "--json", metavar="FILE", help="with --cosmic-ray: write the figures to FILE"
    )
    options = parser.parse_args(arguments)
    if options.cosmic_ray:
        return _cosmic_ray(options.names, options.json)
    return _own(parser, options)


def _own(parser, options):
    if options.json:
        parser.error("--json is for --cosmic-ray")
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
    verdicts = hunt(chosen, load_clauses(), _print_unless_caught)
    caught = sum(verdict.state == CAUGHT for verdict in verdicts)
    print(f"{caught} of {len(verdicts)} mutants were caught")
    return EXIT_PASSED if caught == len(verdicts) else EXIT_FAILED


def _cosmic_ray(parts, path):
    try:
        report = hunted(parts, _progress())
    except CannotHunt as error:
        print(f"tpuref conformance: {error}", file=sys.stderr)
        return EXIT_COULD_NOT_RUN
    if path is not None:
        with open(path, "w", encoding="utf-8") as stream:
            json.dump(report.as_json(), stream, indent=1)
            stream.write("\n")
    print("\n".join(report.lines()))
    return EXIT_PASSED if report.passed else EXIT_FAILED


def _progress():
    """Return what shows on a terminal how many mutants are done."""

    def show(count):
        print(f"\r{count} mutants", end="\r", file=sys.stderr, flush=True)

    return show if sys.stderr.isatty() else lambda count: None


def _print_unless_caught(verdict):
    if verdict.state != CAUGHT:
        mutant = verdict.mutant
        print(f"{verdict.state}: {mutant.name} ({mutant.says})", flush=True)
        print(f"  {mutant.clause}: {verdict.message}", flush=True)
