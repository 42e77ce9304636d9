"""``python -m maintenance.cosmic_ray``, in a checkout that is installed."""

import argparse
import importlib.util
import json
import os
import sys

from .report import CosmicReport
from .survivors import judged


def main(arguments=None):
    """Hunt the mutants, print the figures, and return the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m maintenance.cosmic_ray",
        description="Make every change that cosmic-ray knows in tpuref.tpu, "
        "tpuref.distribute and tpuref.cluster_resolver, one at a time. A clause of the "
        "suite must notice it, or a reason in survivors/ must excuse it.",
    )
    parser.add_argument(
        "parts", metavar="PART", nargs="*", help="only modules with it in their names"
    )
    parser.add_argument("--json", metavar="FILE", help="write the figures to FILE")
    options = parser.parse_args(arguments)
    if importlib.util.find_spec("cosmic_ray") is None:
        print("cosmic-ray is missing: pip install 'tpuref[mutation]'", file=sys.stderr)
        return 2
    report = hunted(options.parts)
    if not report.modules:
        print("no module has such a name", file=sys.stderr)
        return 2
    if options.json is not None:
        with open(options.json, "w", encoding="utf-8") as stream:
            json.dump(report.as_json(), stream, indent=1)
            stream.write("\n")
    print("\n".join(report.lines()))
    return 0 if report.passed else 1


def hunted(parts):
    """Return the report on the mutants of the modules with one of the parts."""
    # Before tpuref is imported, which reads them.
    os.environ.update(TPUREF_EXECUTOR="lockstep", TPUREF_KERNELS="python")
    sys.dont_write_bytecode = True
    from . import hunt

    files = hunt.modules(parts)
    verdicts = []
    for verdict in hunt.hunt(files) if files else ():
        verdicts.append(verdict.as_json())
        if sys.stderr.isatty():
            print(f"\r{len(verdicts)} mutants", end="\r", file=sys.stderr, flush=True)
    return CosmicReport(list(files), verdicts, judged())


if __name__ == "__main__":
    sys.exit(main())
