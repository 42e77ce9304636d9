"""The process of a subject: reads clause ids, writes results, one JSON line each.

``python worker.py DESCRIPTOR`` writes to the file descriptor DESCRIPTOR. The first
line of the standard input describes the subject; the answer is a header. Each further
line names a clause; the answer is its result. When the input ends, a footer follows
that counts the results. Whatever the subject prints goes to the standard error.
"""

import contextlib
import importlib
import importlib.util
import json
import os
import platform
import sys


def load_package():
    """Import the suite under its installed name, from where this file lies."""
    directory = os.path.dirname(os.path.abspath(__file__))
    spec = importlib.util.spec_from_file_location(
        "tpuref_conformance",
        os.path.join(directory, "__init__.py"),
        submodule_search_locations=[directory],
    )
    package = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = package
    spec.loader.exec_module(package)


def _header(tf, settings):
    from tpuref_conformance.subject import version_of

    return {
        "protocol": 1,
        "module": settings["module"],
        "version": version_of(tf),
        "python": platform.python_version(),
        "interpreter": sys.executable,
        "platform": platform.platform(),
        "numpy": sys.modules["numpy"].__version__,
    }


def _surroundings(tf, served):
    from tpuref_conformance.subject import sessions_on_a_server

    return sessions_on_a_server(tf) if served else contextlib.ExitStack()


def serve(requests, write):
    """Answer each line of ``requests`` by a call of ``write``."""
    from tpuref_conformance import subject
    from tpuref_conformance.judge import judge

    settings = json.loads(next(requests))
    if not settings["release"]:
        sys.path.append(os.getcwd())
    try:
        tf = subject.load(settings["module"], settings["described"])
    except subject.SubjectError as error:
        write({"cannot_start": str(error)})
        return
    suite = importlib.import_module(settings["suite"])
    clauses = {clause.id: clause for clause in suite.load_clauses()}
    write({"header": _header(tf, settings)})
    count = 0
    for line in requests:
        clause = clauses[json.loads(line)["run"]]
        with _surroundings(tf, settings["served"]):
            result = judge(clause, tf, settings["release"], settings["cores"])
        write({"result": result.as_json()})
        count += 1
    write({"footer": {"results": count}})


def main():
    """Serve until the standard input ends."""
    # The directory of this file would hide modules of the subject's interpreter.
    sys.path[:] = [entry for entry in sys.path if entry != sys.path[0]]
    answers = os.fdopen(int(sys.argv[1]), "w", encoding="utf-8")
    load_package()

    def write(message):
        answers.write(json.dumps(message) + "\n")
        answers.flush()

    serve(iter(sys.stdin.readline, ""), write)
    answers.close()


if __name__ == "__main__":
    main()
