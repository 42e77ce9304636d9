"""Compares each training step of a program with that of TensorFlow.

Both begin with the same weights, and read the same batches.  tpuref trains on one core,
so that nothing is normalized or clipped for each core alone.
"""

import typing
from pathlib import Path

import numpy as np

from .runner import run

FOLLOW = str(Path(__file__).with_name("follow.py"))
FOLLOW_2 = str(Path(__file__).with_name("follow_2.py"))


class Comparison(typing.NamedTuple):
    """How far two trainings are from each other."""

    steps: int
    loss: float  # the largest difference of a step's loss, relative to the loss
    weights: float  # the largest difference of a weight after the steps
    moved: float  # the most that a weight moved


def compare(program, texts, folder, python):
    """Return the `Comparison` of a program with that of an interpreter's TensorFlow."""
    commands = program.commands
    for text, becomes in program.followed:
        commands = tuple(command.replace(text, becomes) for command in commands)
    edits = program.edits + program.followed_edits
    one = program._replace(commands=commands, edits=edits, cores=1)
    files = [str(Path(folder, name)) for name in ("initial.npz", "followed.npz")]
    tracer = (FOLLOW, *files) if program.release == 1 else (FOLLOW_2, files[1])
    found = []
    for name in (python, ""):
        below = Path(folder, "tensorflow" if name else "tpuref")
        below.mkdir()
        result = run(one, texts, below, python=name, tracer=tracer)
        if not result.ended:
            raise RuntimeError(f"{result.reason}\n{result.output[-4000:]}")
        found.append(dict(np.load(files[1])))
    initial = dict(np.load(files[0])) if program.release == 1 else found[0]
    return _difference(*found, initial)


def _difference(theirs, ours, initial):
    losses, own = theirs.pop("losses"), ours.pop("losses")
    if theirs.keys() != ours.keys() or losses.shape != own.shape:
        raise RuntimeError(f"other weights or steps: {theirs.keys() ^ ours.keys()}")
    return Comparison(
        len(losses),
        float(np.abs(own / losses - 1).max()),
        max(float(np.abs(ours[name] - theirs[name]).max()) for name in theirs),
        max(float(np.abs(theirs[name] - initial[name]).max()) for name in theirs),
    )
