"""The process in which the mutants of cosmic-ray are hunted.

``python cosmic_worker.py DESCRIPTOR PART...`` writes JSON lines to the file descriptor
DESCRIPTOR: the names of the modules that have one of the parts in their names, then the
verdict on each of their mutants. It is a process of its own because the modules must
not have been imported before the forks.
"""

import json
import os
import sys


def main():
    """Hunt, and write what is found as it is found."""
    # This directory, and the suite's own, would hide modules that the suite imports.
    sys.path[:] = [entry for entry in sys.path if entry != sys.path[0]]
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    from worker import load_package

    del sys.path[0]
    load_package()
    from tpuref_conformance.mutants import cosmic_hunt

    with os.fdopen(int(sys.argv[1]), "w", encoding="utf-8") as answers:
        files = cosmic_hunt.modules(sys.argv[2:])
        print(json.dumps(sorted(files)), file=answers, flush=True)
        for verdict in cosmic_hunt.hunt(files) if files else ():
            print(json.dumps(verdict.as_json()), file=answers, flush=True)


if __name__ == "__main__":
    main()
