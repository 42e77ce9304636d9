"""``python -m maintenance.programs TEXTS``: run the programs, print the table."""

import argparse
import fnmatch
import sys
import tempfile

from . import PROGRAMS
from .equal import compare
from .runner import Unavailable, run


def main(arguments):
    """Run the programs that are chosen, print a line for each, return the status."""
    parser = argparse.ArgumentParser(prog="python -m maintenance.programs")
    parser.add_argument("texts", help="the folder of OWNER/NAME of each repository")
    parser.add_argument("names", metavar="NAME", nargs="*", help="* is a wildcard")
    parser.add_argument("--executor", default="pool")
    parser.add_argument("--tensorflow", metavar="PYTHON", default="")
    parser.add_argument(
        "--equal-to", metavar="PYTHON", help="compare each step with its TensorFlow"
    )
    parser.add_argument(
        "--release", type=int, default=1, help="of the programs that are compared"
    )
    parser.add_argument("--output", action="store_true", help="print the output too")
    options = parser.parse_args(arguments)
    failed = False
    for program in PROGRAMS:
        patterns = options.names or ["*"]
        if not any(fnmatch.fnmatchcase(program.name, name) for name in patterns):
            continue
        with tempfile.TemporaryDirectory() as folder:
            if options.equal_to:
                if program.followed and program.release == options.release:
                    found = compare(program, options.texts, folder, options.equal_to)
                    print(f"{program.name}: {found}", flush=True)
                continue
            try:
                result = run(
                    program,
                    options.texts,
                    folder,
                    executor=options.executor,
                    python=options.tensorflow,
                )
            except Unavailable as error:
                print(f"{program.name}: not run: {error}", flush=True)
                continue
        said = "end" if result.ended else result.reason
        print(f"{program.name}: {said} ({result.seconds:.0f} s)", flush=True)
        if options.output or not result.ended:
            print(result.output[-6000:], flush=True)
        failed = failed or not result.ended
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
