"""Starts the process that hunts the mutants of cosmic-ray, and listens to it."""

import importlib.util
import json
import os
import subprocess
import sys

from .cosmic_report import CosmicReport
from .hunt import package_directory
from .survivors import judged

_WORKER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cosmic_worker.py")


class CannotHunt(Exception):
    """The mutants could not be made, or not all of them were tried."""


def hunted(parts, progress):
    """Return the report on the mutants of cosmic-ray.

    Parameters
    ----------
    parts : list of str
        Only modules that have one of these in their names; all of them if it is empty.
    progress : callable
        Is called with the number of mutants after each of them.
    """
    if importlib.util.find_spec("cosmic_ray") is None:
        raise CannotHunt(
            "--cosmic-ray needs cosmic-ray, which is not installed: "
            "pip install 'tpuref[mutation]'"
        )
    receiving, sending = os.pipe()
    command = [sys.executable, _WORKER, str(sending), *parts]
    with subprocess.Popen(command, env=_variables(), pass_fds=[sending]) as worker:
        os.close(sending)
        with open(receiving, encoding="utf-8") as answers:
            modules, verdicts = _heard(answers, progress)
    if worker.returncode != 0:
        raise CannotHunt(f"the hunt ended with status {worker.returncode}")
    if not modules:
        raise CannotHunt("no module has such a name")
    return CosmicReport(modules, verdicts, judged())


def _heard(answers, progress):
    modules = json.loads(answers.readline() or "[]")
    verdicts = []
    for line in answers:
        verdicts.append(json.loads(line))
        progress(len(verdicts))
    return modules, verdicts


def _variables():
    """Return the environment of the worker, which finds the same tpuref."""
    path = [os.path.dirname(package_directory()), os.environ.get("PYTHONPATH", "")]
    return dict(
        os.environ,
        PYTHONPATH=os.pathsep.join(entry for entry in path if entry),
        PYTHONDONTWRITEBYTECODE="1",
        TPUREF_EXECUTOR="lockstep",
        TPUREF_KERNELS="python",
    )
