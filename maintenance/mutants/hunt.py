"""Runs the clause of every mutant against it: a mutant that survives is a failure."""

import concurrent.futures
import importlib.util
import os
import sys
import tempfile

from tpuref_conformance.catalogue import Subject
from tpuref_conformance.known import Known
from tpuref_conformance.outcome import CONTRADICTIONS
from tpuref_conformance.runner import Runner

from .mutant import Misfit

CAUGHT = "caught"
SURVIVED = "survived"
MISFIT = "misfit"


class Verdict:
    """What became of a mutant.

    Attributes
    ----------
    mutant : Mutant
    state : str
        ``caught``, ``survived`` or ``misfit``.
    message : str
        What the clause said, or why the mutant could not be applied.
    """

    def __init__(self, mutant, state, message):
        self.mutant = mutant
        self.state = state
        self.message = message


def package_directory():
    """Return where tpuref lies, without importing it."""
    return os.path.dirname(importlib.util.find_spec("tpuref").origin)


def hunt(mutants, clauses, report=None):
    """Return the verdict on every mutant.

    Parameters
    ----------
    mutants : list of Mutant
    clauses : list of Clause
        The suite.
    report : callable, optional
        Is called with each verdict.
    """
    by_id = {clause.id: clause for clause in clauses}

    def judge(mutant):
        verdict = judged(mutant, by_id)
        if report is not None:
            report(verdict)
        return verdict

    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as threads:
        return list(threads.map(judge, mutants))


def judged(mutant, by_id):
    """Apply one mutant and run its clause."""
    if mutant.clause not in by_id:
        return Verdict(mutant, MISFIT, f"there is no clause {mutant.clause}")
    with tempfile.TemporaryDirectory() as directory:
        try:
            mutant.apply(package_directory(), directory)
        except Misfit as error:
            return Verdict(mutant, MISFIT, str(error))
        clause = by_id[mutant.clause]
        run = Runner([clause], Known(directory)).run_subject(_subject(directory))
    (result,) = run.results
    if run.reason:
        return Verdict(mutant, MISFIT, run.reason)
    state = CAUGHT if result.outcome in CONTRADICTIONS else SURVIVED
    return Verdict(mutant, state, f"{result.outcome}: {result.message}")


def _subject(directory):
    path = [directory, os.environ.get("PYTHONPATH", "")]
    settings = {
        "PYTHONPATH": os.pathsep.join(entry for entry in path if entry),
        "PYTHONDONTWRITEBYTECODE": "1",
        "TPUREF_EXECUTOR": "lockstep",
        "TPUREF_KERNELS": "python",
    }
    return Subject("mutant", "tpuref", sys.executable, settings)
