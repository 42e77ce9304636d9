"""Virtual environments of the releases, built from the constraint files."""

import os
import re
import shutil
import subprocess

CONSTRAINTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "constraints")
_DIRECTIVE = re.compile(r"^# (python|tools|install): (.+)$")


class CannotBuild(Exception):
    """The environment of a release cannot be built."""


class Recipe:
    """What an environment is made of.

    Attributes
    ----------
    name : str
        Name of the subject, such as ``tensorflow-1.15.5``.
    file : str
        The constraint file.
    pythons : list of str
        Minor versions of the interpreters that will do, the best one first.
    tools : list of str
        Requirements that are installed first, such as an older pip.
    install : list of str
        Requirements that are installed under the constraints.
    """

    def __init__(self, name, file, directives):
        self.name = name
        self.file = file
        self.pythons = directives["python"].split()
        self.tools = directives.get("tools", "").split()
        self.install = directives["install"].split()


def cache_directory():
    """Return where environments are kept: TPUREF_CONFORMANCE_CACHE, or the user's."""
    chosen = os.environ.get("TPUREF_CONFORMANCE_CACHE")
    if chosen:
        return chosen
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(base, "tpuref-conformance")


def environment_python(name):
    """Return the path of the interpreter in the environment of ``name``."""
    return os.path.join(cache_directory(), name, "bin", "python")


def read_recipe(requirement):
    """Return the recipe for ``tensorflow==1.15.5`` or ``tensorflow-1.15.5``."""
    name = requirement.replace("==", "-")
    file = os.path.join(CONSTRAINTS, name + ".txt")
    if not os.path.exists(file):
        there = sorted(one[:-4] for one in os.listdir(CONSTRAINTS))
        raise CannotBuild(f"no constraints for {requirement}; there are {there}")
    with open(file, encoding="utf-8") as lines:
        found = [_DIRECTIVE.match(line.strip()) for line in lines]
    return Recipe(name, file, {m.group(1): m.group(2) for m in found if m is not None})


def find_interpreter(minor):
    """Return the path of a Python of this minor version, or None.

    pyenv's versions come first: what it puts on the path may answer for a version
    that is not selected.
    """
    root = os.environ.get("PYENV_ROOT") or os.path.expanduser("~/.pyenv")
    versions = os.path.join(root, "versions")
    patches = os.listdir(versions) if os.path.isdir(versions) else []
    found = [os.path.join(versions, one, "bin", "python") for one in sorted(patches)]
    on_path = shutil.which("python" + minor)
    for candidate in found + ([on_path] if on_path else []):
        if _minor_version(candidate) == minor:
            return candidate
    return None


def _minor_version(python):
    ask = "import sys; print('%d.%d' % sys.version_info[:2])"
    try:
        answer = subprocess.run([python, "-c", ask], stdout=subprocess.PIPE, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return answer.stdout.decode().strip()


def build(requirement, report=print):
    """Build the environment of a release and return its interpreter's path.

    One that is complete is left as it is.
    """
    recipe = read_recipe(requirement)
    directory = os.path.join(cache_directory(), recipe.name)
    complete = os.path.join(directory, "complete")
    python = environment_python(recipe.name)
    if os.path.exists(complete):
        report(f"{recipe.name}: {directory} is there")
        return python
    found = [find_interpreter(minor) for minor in recipe.pythons]
    base = next((one for one in found if one is not None), None)
    if base is None:
        wanted = " or ".join(recipe.pythons)
        raise CannotBuild(
            f"{recipe.name} needs Python {wanted}, which is neither among pyenv's "
            f"versions nor on the path; 'pyenv install {recipe.pythons[0]}' gets it"
        )
    report(f"{recipe.name}: building {directory} with {base}")
    shutil.rmtree(directory, ignore_errors=True)
    _call([base, "-m", "venv", directory])
    if recipe.tools:
        _call([python, "-m", "pip", "install", "-q"] + recipe.tools)
    _call([python, "-m", "pip", "install", "-q", "-c", recipe.file] + recipe.install)
    with open(complete, "w", encoding="utf-8"):
        pass
    return python


def _call(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        last = done.stdout.decode("utf-8", "replace").strip().splitlines()[-3:]
        raise CannotBuild(f"{' '.join(command)} failed: {' / '.join(last)}")
