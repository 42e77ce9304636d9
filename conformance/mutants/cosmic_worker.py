"""The process in which the mutants of cosmic-ray are hunted.

``python cosmic_worker.py DESCRIPTOR PART...`` writes JSON lines to the file descriptor
DESCRIPTOR: the names of the modules that have one of the parts in their names, then the
verdict on each of their mutants. It is a process of its own because the modules must
not have been imported before the forks.
"""

import importlib.util
import json
import os
import sys


def _load_package():
    """Import the suite under its installed name, from where this file lies."""
    directory = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    spec = importlib.util.spec_from_file_location(
        "tpuref_conformance",
        os.path.join(directory, "__init__.py"),
        submodule_search_locations=[directory],
    )
    package = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = package
    spec.loader.exec_module(package)


def main():
    """Hunt, and write what is found as it is found."""
    # The directory of this file would hide modules that the suite imports.
    sys.path[:] = [entry for entry in sys.path if entry != sys.path[0]]
    _load_package()
    from tpuref_conformance.mutants import cosmic_hunt

    with os.fdopen(int(sys.argv[1]), "w", encoding="utf-8") as answers:
        files = cosmic_hunt.modules(sys.argv[2:])
        print(json.dumps(sorted(files)), file=answers, flush=True)
        for verdict in cosmic_hunt.hunt(files) if files else ():
            print(json.dumps(verdict.as_json()), file=answers, flush=True)


if __name__ == "__main__":
    main()
