#!/usr/bin/env python3
"""Compare the parameters of tpuref's public names with those of TensorFlow's releases.

    python maintenance/signatures.py 1=venv-1.15/bin/python 2=venv-2.21/bin/python

Release 1 is compared with `tpuref.compat.v1`, release 2 with `tpuref.compat.v2`:
order, names and defaults of the parameters of each function, constructor and method
that both have.  The script runs itself in the interpreters, so it keeps to Python 3.6.
It prints what differs and is not explained by a line of `signatures.txt`, the lines
there that explain nothing, and names that differ between the two releases and have no
row in `tests/releases/cases.txt`; each makes the exit status 1.
"""

import collections
import fnmatch
import importlib
import inspect
import json
import os
import subprocess
import sys
import types

HERE = os.path.dirname(os.path.abspath(__file__))
REASONS = os.path.join(HERE, "signatures.txt")
CASES = os.path.join(os.path.dirname(HERE), "tests", "releases", "cases.txt")

ROOTS = {
    "1": ("tensorflow", "tpuref.compat.v1"),
    "2": ("tensorflow", "tpuref.compat.v2"),
}
"""For each release, the module of TensorFlow and that of tpuref."""

SKIPPED = (
    "compat", "compiler", "core", "examples", "keras", "python", "raw_ops", "test.mock",
)  # fmt: skip
"""Modules at the top that are no interface of the release, or belong to Keras."""


def measure(root):
    """Return the parameters of all callables below a module, by dotted name."""
    found = {}
    waiting = collections.deque([("", importlib.import_module(root))])
    modules = {id(waiting[0][1])}
    while waiting:
        prefix, module = waiting.popleft()
        for name in sorted(dir(module)):
            path = prefix + name
            if name.startswith("_") or path in SKIPPED:
                continue
            try:
                value = getattr(module, name)
            except Exception:  # a module that needs what is not installed
                continue
            if isinstance(value, types.ModuleType):
                if id(value) not in modules:
                    modules.add(id(value))
                    waiting.append((path + ".", value))
            elif isinstance(value, type):
                measure_class(path, value, found)
            elif callable(value):
                note(path, value, found)
    return found


def measure_class(path, kind, found):
    """Note the constructor and the public methods of a class."""
    if "__init__" in vars(kind) or kind.__init__ is not object.__init__:
        note(path, kind.__init__, found, bound=True)
    for name in dir(kind):
        raw = inspect.getattr_static(kind, name)
        if name.startswith("_") or isinstance(raw, property):
            continue
        value = getattr(kind, name, None)
        if inspect.isroutine(value):
            plain = inspect.isfunction(value) and not isinstance(raw, staticmethod)
            note(path + "." + name, value, found, bound=plain)


def note(path, function, found, bound=False):
    """Note the parameters of a function, without the instance of a method."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # built in
        return
    found[path] = [described(one) for one in parameters[bound:]]


def described(parameter):
    """Return a parameter as text: its stars, its name and its default."""
    if parameter.kind == parameter.VAR_POSITIONAL:
        return "*" + parameter.name
    if parameter.kind == parameter.VAR_KEYWORD:
        return "**" + parameter.name
    star = "*, " if parameter.kind == parameter.KEYWORD_ONLY else ""
    if parameter.default is parameter.empty:
        return star + parameter.name
    return star + parameter.name + "=" + shown(parameter.default)


def shown(value):
    """Return a default as text that is the same in each library."""
    if value is None or isinstance(value, (bool, int, str)):
        return repr(getattr(value, "value", value))
    if isinstance(value, float):
        return repr(int(value) if value.is_integer() else value)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(shown, value)) + "]"
    if isinstance(value, dict):
        return repr(value)
    if hasattr(value, "as_numpy_dtype"):
        return value.name
    if hasattr(value, "__name__"):
        return value.__name__.lstrip("_")
    if hasattr(value, "value") and hasattr(value, "name"):  # an enumeration
        return value.name
    return "<" + type(value).__name__.lstrip("_") + ">"


def measured(python, root):
    """Return what `measure` finds in an interpreter."""
    run = subprocess.run(
        [python, os.path.abspath(__file__), "--measure", root],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=True,
        cwd=os.path.dirname(python) or None,
    )
    return json.loads(run.stdout.decode().splitlines()[-1])


def extends(theirs, ours):
    """Return whether a call of theirs means the same with our parameters.

    Parameters are added at the end or by keyword, or have a default here alone.
    """
    names = [one.split("=")[0] for one in theirs if one[0] != "*"]
    kept = [one.split("=")[0] for one in ours if one[0] != "*"][: len(names)]
    by_name = {one.split("=")[0]: one for one in ours}
    same = all(by_name.get(one.split("=")[0]) == one for one in theirs if "=" in one)
    stars = all(one in ours for one in theirs if one[0] == "*")
    more = [one for one in ours if one[0] != "*" and one.split("=")[0] not in names]
    return names == kept and same and stars and all("=" in one for one in more)


def reasons():
    """Return the reasons: for each, its releases, the pattern of names, the text.

    After the releases, ``+`` limits a reason to names whose parameters are extended.
    """
    with open(REASONS, encoding="utf-8") as lines:
        rows = [line.split(None, 2) for line in lines if line[:1] not in "#\n"]
    return [(releases, pattern, why.strip()) for releases, pattern, why in rows]


def differences(theirs, ours):
    """Return the names that both have, and those whose parameters differ."""
    both = sorted(set(theirs) & set(ours))
    return both, [name for name in both if theirs[name] != ours[name]]


def without_case(theirs, ours):
    """Return names that differ between the releases, whose values nothing compares."""
    with open(CASES, encoding="utf-8") as lines:
        patterns = [line.split()[0] for line in lines if line[:1] not in "# \n"]
    both = set.intersection(*map(set, theirs.values()), *map(set, ours.values()))
    return [
        name
        for name in sorted(both)
        if theirs["1"][name] != theirs["2"][name]
        and not any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)
    ]


def report(release, theirs, ours, rows, used):
    """Print what differs from a release, and return how much has no reason."""
    both, differing = differences(theirs, ours)
    unexplained = 0
    for name in differing:
        row = next(
            (
                row
                for row in rows
                if release in row[0] and fnmatch.fnmatchcase(name, row[1])
                if "+" not in row[0] or extends(theirs[name], ours[name])
            ),
            None,
        )
        if row is not None:
            used.add(row)
            continue
        unexplained += 1
        print(
            "{}\n  release {}: {}\n  tpuref:    {}".format(
                name, release, ", ".join(theirs[name]), ", ".join(ours[name])
            )
        )
    print(
        "release {}: {} names compared, {} equal, {} differ with a reason, {} without"
        "".format(
            release,
            len(both),
            len(both) - len(differing),
            len(differing) - unexplained,
            unexplained,
        )
    )
    return unexplained


def main(arguments):
    if arguments[:1] == ["--measure"]:
        sys.argv = sys.argv[:1]  # the first read of a flag would parse the others
        print(json.dumps(measure(arguments[1])))
        return 0
    rows, used = reasons(), set()
    pythons = dict(argument.split("=", 1) for argument in arguments)
    theirs = {one: measured(pythons[one], ROOTS[one][0]) for one in sorted(pythons)}
    ours = {one: measured(sys.executable, ROOTS[one][1]) for one in sorted(pythons)}
    unexplained = sum(
        [report(one, theirs[one], ours[one], rows, used) for one in sorted(pythons)]
    )
    untested = without_case(theirs, ours) if len(pythons) == 2 else []
    for name in untested:
        print("cases.txt: no row for {}, which differs between releases".format(name))
    asked = {"+", *pythons}
    stale = [row for row in rows if row not in used and set(row[0]) <= asked]
    for releases, pattern, _ in stale:
        print("signatures.txt: nothing differs for {} {}".format(releases, pattern))
    return int(bool(unexplained or stale or untested))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
