"""Runs the clause of every mutant against it: a mutant that survives is a failure.

Each mutant is a fork of this process, which has imported what the mutant does not
change.
"""

import importlib
import importlib.util
import os
import signal
import sys

from tpuref_conformance import subject
from tpuref_conformance.judge import judge
from tpuref_conformance.outcome import CONTRADICTIONS

from ..cosmic_ray import forks
from ..mutated_module import MutatedModule
from .mutant import Misfit

CAUGHT = "caught"
SURVIVED = "survived"
MISFIT = "misfit"

#: What is imported before the mutants that change nothing of it.
BELOW = ("tpuref.functions", "tpuref.remote")
#: Seconds for a clause, which takes a tenth of one: a mutant may wait forever.
CLAUSE_CPU_SECONDS = 20
CLAUSE_SECONDS = 120


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


def hunt(mutants, clauses):
    """Yield the verdict on every mutant, in the order in which they are decided.

    Parameters
    ----------
    mutants : list of Mutant
    clauses : list of Clause
        The suite.
    """
    by_id = {clause.id: clause for clause in clauses}
    changed = []
    for mutant in mutants:
        try:
            if mutant.clause not in by_id:
                raise Misfit(f"there is no clause {mutant.clause}")
            changed.append((mutant, *_module(mutant)))
        except Misfit as error:
            yield Verdict(mutant, MISFIT, str(error))
    importlib.import_module("numpy")
    importlib.import_module("ml_dtypes")
    above = [one for one in changed if one[1].split(".")[1:2] == ["distribute"]]
    above += [one for one in changed if one[1].startswith(_ABOVE)]
    below = [one for one in changed if one not in above]
    yield from _verdicts(below, by_id)
    if above:
        for name in BELOW:
            importlib.import_module(name)
        yield from _verdicts(above, by_id)


_ABOVE = ("tpuref.tpu.", "tpuref.cluster_resolver.")


def _module(mutant):
    """Return the name, path and text of the module that a mutant changes."""
    package = package_directory()
    path, text = mutant.changed(package)
    name = os.path.relpath(path, os.path.dirname(package))[: -len(".py")]
    return name.replace(os.sep, ".").replace(".__init__", ""), path, text


def _verdicts(changed, by_id):
    jobs = [
        lambda one=one: _try(MutatedModule(*one[1:]), by_id[one[0].clause])
        for one in changed
    ]
    for number, answer in forks.as_completed(jobs):
        # A process that ended without an answer has noticed in its way.
        yield Verdict(changed[number][0], *(answer or (CAUGHT, "the process ended")))


def _try(module, clause):
    forks.silence()
    signal.setitimer(signal.ITIMER_PROF, CLAUSE_CPU_SECONDS)
    signal.setitimer(signal.ITIMER_REAL, CLAUSE_SECONDS)
    if module.name in sys.modules:
        return MISFIT, f"{module.name} is imported before it can be changed"
    sys.meta_path.insert(0, module)
    try:
        tf = subject.load("tpuref")
    except subject.SubjectError as error:
        return MISFIT, str(error)
    result = judge(clause, tf)
    state = CAUGHT if result.outcome in CONTRADICTIONS else SURVIVED
    return state, f"{result.outcome}: {result.message}"
