"""``python -m maintenance.mutants``: the hunt, in a process without tpuref."""

import argparse
import collections
import fnmatch
import pathlib
import sys

from tpuref_conformance.report import EXIT_COULD_NOT_RUN, EXIT_FAILED, EXIT_PASSED
from tpuref_conformance.suite import load_clauses
from tpuref_conformance.terminal import Progress

from . import MUTANTS
from .hunt import CAUGHT, hunt
from .lists import read_list


def main(arguments):
    """Run the mutants, print those that were not caught, return the exit status."""
    parser = argparse.ArgumentParser(
        prog="tpuref conformance mutants",
        description="Apply deliberately wrong changes to tpuref, one at a time; the "
        "clauses that each of them breaks must notice.",
    )
    parser.add_argument(
        "names", metavar="NAME", nargs="*", help="only these; * and ? are wildcards"
    )
    parser.add_argument(
        "--measure",
        metavar="FILE",
        type=pathlib.Path,
        help="run a list of variants that name no clauses instead, and say of each who "
        "noticed: what documents state, clauses beyond their words, or releases",
    )
    parser.add_argument("--list", action="store_true", help="print them instead")
    options = parser.parse_args(arguments)
    if options.measure:
        return _measured(read_list(options.measure))
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
            print(f"{one.name}: {one.says} ({', '.join(one.clauses)})")
        return EXIT_PASSED
    clauses = load_clauses()
    source = {clause.id: clause.source for clause in clauses}
    caught = collections.Counter()
    progress = Progress(len(chosen))
    for verdict in hunt(chosen, clauses):
        mutant = verdict.mutant
        if verdict.state == CAUGHT:
            caught[source.get(mutant.clauses[0], "test")] += 1
        else:
            progress.close()
            print(f"{verdict.state}: {mutant.name} ({mutant.says})")
            print(f"  {verdict.message}", flush=True)
        progress.count(mutant.name)
    progress.close()
    count = sum(caught.values())
    print(
        f"{count} of {len(chosen)} mutants were caught, {caught['document']} of them "
        "by what a document states"
    )
    return EXIT_PASSED if count == len(chosen) else EXIT_FAILED


def _measured(mutants):
    """Print who noticed each, and how many; return the exit status."""
    noticed = collections.Counter()
    for verdict in hunt(mutants, load_clauses()):
        who = verdict.message.partition(":")[0]
        noticed[who if verdict.state == CAUGHT else verdict.state] += 1
        print(f"{verdict.state}: {verdict.mutant.name}: {verdict.message}", flush=True)
    print(", ".join(f"{count} {who}" for who, count in noticed.most_common()))
    return EXIT_PASSED


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
