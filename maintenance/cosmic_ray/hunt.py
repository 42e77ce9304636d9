"""Runs the suite against each mutant of cosmic-ray, in a fork with that mutant.

What lies below the mutated packages is imported once, before the forks.
"""

import importlib
import importlib.util
import pathlib
import resource
import signal
import sys

from tpuref_conformance import subject
from tpuref_conformance.judge import judge
from tpuref_conformance.outcome import CONTRADICTIONS
from tpuref_conformance.suite import load_clauses

from ..mutated_module import MutatedModule
from . import forks
from .covering import Covering
from .mutants import changed_line, mutants_of
from .report import INVALID, KILLED, SURVIVED

PACKAGES = ("tpuref.tpu", "tpuref.distribute", "tpuref.cluster_resolver")
BELOW = ("tpuref.functions", "tpuref.remote")

# A mutant may loop or wait forever. A clause takes a tenth of a second; the wall-clock
# limit must do on a busy machine, too.
MEMORY_BYTES = 8 << 30
CLAUSE_CPU_SECONDS = 5
CLAUSE_SECONDS = 120


class Verdict:
    """What became of a mutant.

    Attributes
    ----------
    mutant : CosmicMutant
    state : str
        ``killed``, ``survived`` or ``no program``.
    by : str
        The clause that noticed.
    before, after : str
        The changed line.
    """

    def __init__(self, mutant, state, by="", before="", after=""):
        self.mutant = mutant
        self.state = state
        self.by = by
        self.before = before
        self.after = after

    def as_json(self):
        return {
            "module": self.mutant.module,
            "line": self.mutant.line,
            "operator": self.mutant.operator,
            "state": self.state,
            "by": self.by,
            "before": self.before,
            "after": self.after,
        }


def modules(parts=()):
    """Return a dict from the names of the modules of the packages to their files.

    Parameters
    ----------
    parts : sequence of str, optional
        Only the modules that have one of these in their names.
    """
    source = pathlib.Path(importlib.util.find_spec("tpuref").origin).parents[1]
    found = {}
    for package in PACKAGES:
        for path in sorted(source.joinpath(*package.split(".")).rglob("*.py")):
            name = ".".join(path.relative_to(source).with_suffix("").parts)
            chosen = not parts or any(part in name for part in parts)
            if path.name != "__init__.py" and chosen:
                found[name] = str(path)
    return found


def hunt(files):
    """Yield the verdict on each mutant of the modules.

    Parameters
    ----------
    files : dict from str to str
        Some of `modules`.
    """
    clauses = load_clauses()
    for name in BELOW:
        importlib.import_module(name)
    early = [name for name in files if name in sys.modules]
    if early:
        raise RuntimeError(f"imported before a fork could change them: {early}")
    covering = Covering(list(files.values()), clauses, _import_all, _judge)
    mutants = [one for name, path in files.items() for one in mutants_of(name, path)]
    jobs = [lambda one=one: _try(one, covering.of(one)) for one in mutants]
    for number, answer in forks.as_completed(jobs):
        # A process that ended without an answer has noticed in its way.
        yield Verdict(mutants[number], *(answer or (KILLED, "the end of the process")))


def _import_all():
    for name in modules():
        importlib.import_module(name)
    return subject.load("tpuref")


def _judge(clause):
    return judge(clause, subject.load("tpuref"))


def _try(mutant, clauses):
    """Return the state of the mutant, the clause that noticed, and the changed line."""
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, hard))
    forks.silence()
    try:
        before, after = mutant.sources()
        compile(after, mutant.path, "exec")
    except Exception:  # cosmic-ray cannot make each change that it lists
        return INVALID, "", "", ""
    line = changed_line(before, after)
    sys.meta_path.insert(0, MutatedModule(mutant.module, mutant.path, after))
    return (*_first_to_notice(clauses), *line)


def _first_to_notice(clauses):
    _allow_time()
    try:
        _import_all()
    except Exception:
        return KILLED, "the import"
    for clause in clauses:
        _allow_time()
        if _judge(clause).outcome in CONTRADICTIONS:
            return KILLED, clause.id
    return SURVIVED, ""


def _allow_time():
    """End this process unless it is here again in time."""
    signal.setitimer(signal.ITIMER_PROF, CLAUSE_CPU_SECONDS)
    signal.setitimer(signal.ITIMER_REAL, CLAUSE_SECONDS)
