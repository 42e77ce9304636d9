"""Virtual environments of the releases, built from the constraint files."""

import os
import re
import shutil
import signal
import subprocess
import time

CONSTRAINTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "constraints")
# In an environment that is whole: the constraints that it was built from.
_COMPLETE = "complete"
_DIRECTIVE = re.compile(r"^# (python|tools|install): (.+)$")


class CannotBuild(Exception):
    """The environment of a release cannot be built."""


class Recipe:
    """What an environment is made of.

    The constraint file and its text; the minor versions of the interpreters that will
    do, the best one first; ``tools``, requirements that are installed first, such as an
    older pip; and ``install``, those that are installed under the constraints.
    """

    def __init__(self, name, file, text):
        matches = [_DIRECTIVE.match(line.strip()) for line in text.splitlines()]
        directives = {m.group(1): m.group(2) for m in matches if m is not None}
        self.name = name
        self.file = file
        self.text = text
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
    with open(file, encoding="utf-8") as stream:
        return Recipe(name, file, stream.read())


def find_interpreter(minor):
    """Return the path of a Python of this minor version, or None.

    pyenv's versions come first: what it puts on the path may answer for a version
    that is not selected.
    """
    root = os.environ.get("PYENV_ROOT") or os.path.expanduser("~/.pyenv")
    versions = os.path.join(root, "versions")
    patches = os.listdir(versions) if os.path.isdir(versions) else []
    installed = [
        os.path.join(versions, one, "bin", "python") for one in sorted(patches)
    ]
    on_path = shutil.which("python" + minor)
    for candidate in installed + ([on_path] if on_path else []):
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


def build(requirement, report=print, within=None):
    """Build the environment of a release and return its interpreter's path.

    One that was built from the same constraints is left as it is. ``report`` takes each
    line that tells what happens; the build may take ``within`` seconds.
    """
    recipe = read_recipe(requirement)
    directory = os.path.join(cache_directory(), recipe.name)
    python = environment_python(recipe.name)
    if _built_from(directory) == recipe.text:
        report(f"{recipe.name}: {directory} is there")
        return python
    base = _interpreter(recipe)
    report(f"{recipe.name}: building {directory} with {base}")
    shutil.rmtree(directory, ignore_errors=True)
    start = time.monotonic()
    _install(recipe, base, directory, None if within is None else start + within)
    with open(os.path.join(directory, _COMPLETE), "w", encoding="utf-8") as stream:
        stream.write(recipe.text)
    report(f"{recipe.name}: built in {time.monotonic() - start:.0f} s")
    return python


def _built_from(directory):
    """Return the constraints of the finished environment there, or None."""
    path = os.path.join(directory, _COMPLETE)
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as stream:
        return stream.read()


def _interpreter(recipe):
    for minor in recipe.pythons:
        interpreter = find_interpreter(minor)
        if interpreter is not None:
            return interpreter
    wanted = " or ".join(recipe.pythons)
    raise CannotBuild(
        f"{recipe.name} needs Python {wanted}, which is neither among pyenv's "
        f"versions nor on the path; 'pyenv install {recipe.pythons[0]}' gets it"
    )


def _install(recipe, base, directory, deadline):
    variables = dict(os.environ)
    pip = [environment_python(recipe.name), "-m", "pip", "install"]
    pip += ["-q", "--no-compile"]  # of a release most modules are never imported
    # The pip that comes with Python 3.6 takes the option, but not its variable.
    if variables.pop("PIP_NO_CACHE_DIR", None):
        pip.append("--no-cache-dir")
    _call([base, "-m", "venv", directory], variables, deadline)
    if recipe.tools:
        _call(pip + recipe.tools, variables, deadline)
    _call(pip + ["-c", recipe.file] + recipe.install, variables, deadline)


def _call(command, variables=None, deadline=None):
    left = None if deadline is None else max(deadline - time.monotonic(), 0)
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=variables,
        start_new_session=True,
    ) as called:
        try:
            printed, _ = called.communicate(timeout=left)
        except BaseException as error:
            os.killpg(called.pid, signal.SIGKILL)
            if isinstance(error, subprocess.TimeoutExpired):
                raise CannotBuild(f"{' '.join(command)} took too long") from None
            raise
    if called.returncode != 0:
        last = printed.decode("utf-8", "replace").strip().splitlines()[-3:]
        raise CannotBuild(f"{' '.join(command)} failed: {' / '.join(last)}")
