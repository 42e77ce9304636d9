"""``tpuref conformance init``: the files with which a project begins."""

import argparse
import os
import re
import string
import sys

from .catalogue import subject_file

_TEMPLATES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "templates")
_WORKFLOW = os.path.join(".github", "workflows", "conformance.yml")


def main(arguments):
    """Write the files, and return the exit status."""
    options = _parser().parse_args(arguments)
    files = {subject_file(options.module): _filled("subject", module=options.module)}
    if options.tox:
        files.update(_tox_files(options))
    for path in files:
        if os.path.exists(path):
            print(f"tpuref conformance init: {path} is there already", file=sys.stderr)
            return 2
    for path, text in files.items():
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(text)
        print(path)
    return 0


def _parser():
    parser = argparse.ArgumentParser(
        prog="tpuref conformance init",
        description="Write the subject file of a module, and with --tox a tox.ini and "
        "a workflow that run the suite. Nothing is overwritten.",
    )
    parser.add_argument("module", metavar="MODULE", help="the module to be judged")
    parser.add_argument("--tox", action="store_true", help="tox.ini and a workflow too")
    parser.add_argument(
        "--python",
        metavar="VERSION",
        nargs="+",
        default=["%d.%d" % sys.version_info[:2]],
        help="Pythons to run on, such as 3.11 3.12 (default: this one)",
    )
    parser.add_argument(
        "--release",
        metavar="NAME==VERSION",
        nargs="+",
        help="what to install and judge (default: the newest MODULE)",
    )
    return parser


def _tox_files(options):
    releases = options.release or [options.module.split(".")[0]]
    factors = {re.sub(r"\W+", "_", one): one for one in releases}
    tox = _filled(
        "tox",
        pythons=",".join(one.replace(".", "") for one in options.python),
        factors=",".join(factors),
        deps="\n".join(f"    {factor}: {one}" for factor, one in factors.items()),
        file=subject_file(options.module),
    )
    quoted = ", ".join(f'"{one}"' for one in options.python)
    return {"tox.ini": tox, _WORKFLOW: _filled("workflow", quoted_pythons=quoted)}


def _filled(name, **values):
    with open(os.path.join(_TEMPLATES, name + ".txt"), encoding="utf-8") as stream:
        return string.Template(stream.read()).substitute(values)
