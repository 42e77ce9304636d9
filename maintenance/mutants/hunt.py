"""Runs the clauses of every mutant against it: a mutant that survives is a failure.

A process imports tpuref once. Where it comes to a module that mutants change, it forks
for each of them: the fork goes on with the changed module, and tries the clauses.
"""

import importlib
import importlib.util
import json
import os
import pkgutil
import re
import signal
import sys
import traceback

import pytest
from tpuref_conformance import subject
from tpuref_conformance.judge import judge
from tpuref_conformance.outcome import CONTRADICTIONS

from .mutant import Misfit
from .mutated_module import MutatedModule

CAUGHT = "caught"
SURVIVED = "survived"
MISFIT = "misfit"

#: Packages below those that most mutants change. They are imported first, once for all.
BELOW = (
    "engine.differentiation", "interface.functions", "interface.checkpoints",
    "interface.layers", "interface.losses", "interface.metrics", "interface.training",
    "interface.optimizers", "interface.data",
)  # fmt: skip
#: What comes from elsewhere and takes as long as a clause.
ELSEWHERE = ("unittest.mock",)
#: Seconds for a clause, which takes a tenth of one: a mutant may wait forever.
CLAUSE_CPU_SECONDS = 20
CLAUSE_SECONDS = 120
#: Characters of a message: forks that write to one pipe write little at a time.
MESSAGE = 600
#: The exit status of a fork that has written its answer.
ANSWERED = 77


class Verdict:
    """The verdict on a mutant: ``caught``, ``survived`` or ``misfit``.

    ``message`` is what a clause said, after who says so where any clause may notice, or
    why the mutant could not be applied.
    """

    def __init__(self, mutant, state, message):
        self.mutant = mutant
        self.state = state
        self.message = message


def package_directory():
    """Return where tpuref lies, without importing it."""
    return os.path.dirname(importlib.util.find_spec("tpuref").origin)


def hunt(mutants, clauses):
    """Yield the verdict on every mutant, in the order in which they are decided."""
    by_id = {clause.id: clause for clause in clauses}
    changes = {}
    for number, mutant in enumerate(mutants):
        try:
            judges = [by_id.get(id, id) for id in mutant.clauses]
            unknown = [
                id for id in mutant.clauses if id not in by_id and "::" not in id
            ]
            if unknown:
                raise Misfit(f"there is no clause {', '.join(unknown)}")
            module = _module(mutant)
            near = judges or _nearest_first(f"{module.name} {mutant.target}", clauses)
            change = (number, module, near, bool(mutant.clauses))
            changes.setdefault(module.name, []).append(change)
        except Misfit as error:
            yield Verdict(mutant, MISFIT, str(error))
    undecided = {number for changed in changes.values() for number, *_ in changed}
    for number, state, message in _answers(changes):
        undecided.remove(number)
        yield Verdict(mutants[number], state, message)
    if undecided:
        raise RuntimeError(f"no verdict on {[mutants[n].name for n in undecided]}")


def _nearest_first(name, clauses):
    """Return the clauses, first those whose ids share most words with a name."""
    words = set(re.findall("[a-z]+", name.lower()))
    return sorted(
        clauses, key=lambda one: -len(words & set(re.findall("[a-z]+", one.id.lower())))
    )


def _module(mutant):
    """Return the module that a mutant changes, as it changes it."""
    package = package_directory()
    path, code = mutant.changed(package)
    name = os.path.relpath(path, os.path.dirname(package))[: -len(".py")]
    return MutatedModule(name.replace(os.sep, ".").replace(".__init__", ""), path, code)


def _answers(changes):
    """Yield number, state and message of every change, from a process of their own."""
    receiving, sending = os.pipe()
    trunk = os.fork()
    if not trunk:
        os.close(receiving)
        _grow(Trunk(changes, sending))
    os.close(sending)
    try:
        with os.fdopen(receiving, encoding="utf-8") as answers:
            yield from map(json.loads, answers)
    finally:
        os.kill(trunk, signal.SIGTERM)
        os.waitpid(trunk, 0)


def _grow(trunk):
    """Import tpuref, in the trunk and in its branches; end the process."""
    try:
        signal.signal(signal.SIGTERM, trunk.cut)
        sys.meta_path.insert(0, trunk)
        trunk.end()
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(ANSWERED)


class Trunk:
    """Finds the modules that mutants change, and forks into a branch for each change.

    ``changes`` has the changes of each module by its name: number, MutatedModule,
    clauses, and whether each of these must notice. The answers are written to ``pipe``,
    a line each.
    """

    def __init__(self, changes, pipe):
        self._left = dict(changes)
        self._pipe = pipe
        self._width = len(os.sched_getaffinity(0))
        self._branches = {}
        self._change = None

    def find_spec(self, fullname, path=None, target=None):
        """Fork for each change of the module; in a branch, find the changed one."""
        for change in self._left.pop(fullname, ()):
            if self._is_branch(change):
                return change[1].find_spec(fullname)
        return None

    def cut(self, *_):
        """End the branches and this process."""
        for branch in self._branches:
            os.kill(branch, signal.SIGKILL)
        os._exit(0)

    def end(self):
        """Import what has changes, then wait for the branches; in one, try its change.

        A branch imports the rest by the public names that its clauses use. No name
        leads to the unchanged module: no module of the trunk had come to it.
        """
        try:
            tf = self._loaded()
        except Exception as error:
            if self._change is None:
                raise
            self._answer(self._change[0], MISFIT, f"{type(error).__name__}: {error}")
            return
        if self._change is not None:
            number, _, clauses, named = self._change
            self._answer(number, *(_judged if named else _searched)(clauses, tf))
        while self._branches:
            self._wait()

    def _loaded(self):
        tf = subject.load("tpuref")
        for name in [*ELSEWHERE, *_modules_of(BELOW), *self._left]:
            if self._change is None:
                importlib.import_module(name)
        return tf

    def _is_branch(self, change):
        while len(self._branches) >= self._width:
            self._wait()
        branch = os.fork()
        if branch:
            self._branches[branch] = change[0]
            return False
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        _start_clocks()
        _silence()
        self._change, self._left, self._branches = change, {}, {}
        return True

    def _wait(self):
        """Wait for a branch; one that ends without an answer has noticed in its way."""
        branch, status = os.wait()
        number = self._branches.pop(branch)
        if os.waitstatus_to_exitcode(status) != ANSWERED:
            self._answer(number, CAUGHT, "the process ended")

    def _answer(self, number, state, message):
        line = json.dumps([number, state, message[:MESSAGE]]) + "\n"
        os.write(self._pipe, line.encode())


def _modules_of(packages):
    """Return the full names of the modules in these packages of tpuref."""
    return [
        module.name
        for package in packages
        for module in pkgutil.walk_packages(
            [os.path.join(package_directory(), *package.split("."))],
            f"tpuref.{package}.",
        )
    ]


def _silence():
    """Send what this process prints from now on nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    os.close(nowhere)


def _start_clocks():
    signal.setitimer(signal.ITIMER_PROF, CLAUSE_CPU_SECONDS)
    signal.setitimer(signal.ITIMER_REAL, CLAUSE_SECONDS)


def _searched(clauses, tf):
    """Return state and message; any clause may notice, one of what is stated first."""

    def expired(*_):
        raise TimeoutError("the clause does not end")

    for number in (signal.SIGPROF, signal.SIGALRM):
        signal.signal(number, expired)
    noticed = {}
    for source in ("stated", "beyond", "release"):
        for clause in clauses:
            if source != _source(clause):
                continue
            _start_clocks()
            result = judge(clause, tf)
            if result.outcome in CONTRADICTIONS:
                who = "beyond" if result.beyond else source
                message = f"{clause.id}: {result.outcome}: {result.message}"
                noticed.setdefault(who, f"{who}: {message}")
                if who == source:
                    return CAUGHT, noticed[who]
        if noticed:
            return CAUGHT, next(iter(noticed.values()))
    return SURVIVED, "no clause noticed"


def _source(clause):
    if clause.source == "document":
        return "beyond" if clause.beyond else "stated"
    return clause.source


def _judged(clauses, tf):
    """Return state and message; each of the clauses, or tests, has to notice."""
    for clause in clauses:
        if isinstance(clause, str):
            status = pytest.main(["-q", "-p", "no:cacheprovider", clause])
            if status != pytest.ExitCode.TESTS_FAILED:
                return SURVIVED, f"{clause}: pytest ended with {status}"
            continue
        result = judge(clause, tf)
        message = f"{clause.id}: {result.outcome}: {result.message}"
        if "NameError: " in result.message or "UnboundLocalError: " in result.message:
            return MISFIT, message  # what becomes of the pattern has stopped working
        if result.outcome not in CONTRADICTIONS:
            return SURVIVED, message
    return CAUGHT, message
