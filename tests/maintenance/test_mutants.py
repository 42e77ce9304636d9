"""The hunt tells the caught mutants from the others.

That each fits the source and is caught is for ``tpuref conformance mutants`` to say,
which tox runs in the environment ``conformance``.
"""

import json
import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from tpuref_conformance import main
from tpuref_conformance.suite import load_clauses

from maintenance.mutants import MUTANTS
from maintenance.mutants.hunt import CAUGHT, MISFIT, SURVIVED
from maintenance.mutants.lists import read_list
from maintenance.mutants.mutant import Misfit, Mutant

from ..pythons import python

TOP = Path(__file__).resolve().parents[2]
CLAUSES = load_clauses()
CORES = "tf.tpu.core/returns/device-name-string"
EXISTS = "tf.tpu.core/name/exists"
SOURCE = """
from typing import overload

LIMIT = 3

class Small:
    limit = 4

    @property
    def size(self):
        size = 1
        return max(
            size,
            LIMIT, key=abs
        )

@overload
def size(value: int): ...

def size(value: int, times: int = 2, *others, name: str | None = None):
    if value > LIMIT:
        raise ValueError("value", value)
    return [value for _ in range(LIMIT)]

def empty():
    try:
        yield
    finally:
        pass
"""


def test_each_has_a_name_and_a_clause():
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS) >= 400
    clauses = {one.id for one in CLAUSES}
    judges = [judge for m in MUTANTS for judge in m.clauses if judge not in clauses]
    assert [judge for judge in judges if not Path(judge.split("::")[0]).exists()] == []


# In a process of its own, which has not imported what the mutants change.
HUNT = """
import json, sys
from maintenance.mutants.hunt import hunt
from maintenance.mutants.mutant import Mutant
from tpuref_conformance.suite import load_clauses

mutants = [Mutant(*one) for one in json.load(sys.stdin)]
for one in hunt(mutants, load_clauses()):
    print(json.dumps([one.mutant.name, one.state, one.message]))
"""


def core_mutant(name, new, clauses=(CORES,), old='f"device:{REPLICATED_CORE}:{num}"'):
    return Mutant(name, "a test", clauses, "cores.core", old, new)


MINE = {
    core_mutant("wrong", '"cpu:0"'): (CAUGHT, f"{CORES}: fail"),
    core_mutant("alike", 'f"device:{REPLICATED_CORE}:{num!s}"'): (SURVIVED, "pass"),
    core_mutant("absent", "x", old="no.such.text"): (MISFIT, "'no.such.text' 0 times"),
    core_mutant("unstated", "x", clauses=["tf.no/such"]): (MISFIT, "clause tf.no/such"),
    core_mutant("no-program", "("): (MISFIT, "was never closed"),
    core_mutant("stale", "no_such_name"): (MISFIT, "NameError"),
    core_mutant("leaves", "__import__('os')._exit(1)"): (CAUGHT, "the process ended"),
    core_mutant("any", '"cpu:0"', []): (CAUGHT, "stated: tf.tpu.core"),
    core_mutant("half", '"cpu:0"', [CORES, EXISTS]): (SURVIVED, f"{EXISTS}: pass"),
}


def printed(*command, read=""):
    """Return the output of Python at the top of the checkout."""
    done = python(
        *command,
        env={"TPUREF_EXECUTOR": "lockstep", "TPUREF_KERNELS": "python"},
        cwd=TOP,
        stdin=read,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def verdicts():
    """Return state and message of each mutant of this file."""
    facts = ("name", "says", "clauses", "target", "was", "becomes")
    mine = json.dumps([[getattr(one, fact) for fact in facts] for one in MINE])
    found = map(json.loads, printed("-c", HUNT, read=mine).splitlines())
    return {name: (state, message) for name, state, message in found}


@pytest.mark.parametrize("mutant", MINE, ids=lambda one: one.name)
def test_verdicts(verdicts, mutant):
    state, message = MINE[mutant]
    assert verdicts[mutant.name][0] == state and message in verdicts[mutant.name][1]


def test_the_command_counts_the_caught_ones():
    output = printed("-m", "maintenance.mutants", MUTANTS[0].name)
    assert output.startswith("1 of 1 mutants were caught"), output


def test_a_measured_list_says_who_noticed(tmp_path):
    path = tmp_path / "list.txt"
    path.write_text(
        'a: is b @ cores.core = ?\n  ... => "cpu"\n'.replace(
            "...", 'f"device:{REPLICATED_CORE}:{num}"'
        )
    )
    *_, counts = printed("-m", "maintenance.mutants", "--measure", path).splitlines()
    assert counts == "1 stated"


def test_a_list_of_entries(tmp_path):
    path = tmp_path / "list.txt"
    entry = "a: is b\n  @ f = tf.a/b tf.c/d\n"
    joined = entry.replace("\n ", "")
    path.write_text(f"# why\n\n{entry}  - 1\n  + 2\n  + 3\n{joined}  1 => 2\n")
    one, short = read_list(path)
    assert (short.was, short.becomes) == ("1", "2")
    assert (one.name, one.says, one.clauses) == ("a", "is b", ["tf.a/b", "tf.c/d"])
    assert (one.target, one.was, one.becomes) == ("f", "1", "2\n3")
    path.write_text("a: is b\n  @ f = tf.a/b/c\n  + 2\n")
    with pytest.raises(ValueError, match="not an entry"):
        read_list(path)


def changed(tmp_path, target, was, becomes):
    """Return what the changed module defines."""
    package = tmp_path / "small"
    package.mkdir()
    (package / "source.py").write_text(SOURCE, encoding="utf-8")
    _, code = Mutant("mine", "a test", [], target, was, becomes).changed(str(package))
    module = SimpleNamespace()
    exec(code, vars(module))
    return module


@pytest.mark.parametrize(
    ("target", "was", "becomes", "expression", "expected"),
    [
        ("Small.size", "max( size,LIMIT,  key = abs)", "0", "Small().size", 0),
        ("small.source.Small.size", "size = 1", "size = 9; size -= 1", "Small().size",
         8),
        ("Small.size", "max(size, ...)", "min(size, ...)", "Small().size", 1),
        ("Small.size", "max(...)", "min(...)", "Small().size", 1),
        ("LIMIT", "3", "0", "LIMIT", 0),
        ("Small.limit", "limit = 4", "limit: int = 5", "Small.limit", 5),
        ("Small.size", "@property\ndef size(self): ...", "def size(self): ...",
         "Small().size()", 3),
        ("source.size", "[... for _ in ...]", "[... for _ in [*...]]", "size(2)",
         [2, 2, 2]),
        ("source.size", "if value > ...: ...", "if value < ...: ...", "size(9)",
         [9, 9, 9]),
        ("source.size", "if ...: raise ValueError(...)", "value += 1", "size(9)",
         [10, 10, 10]),
        ("source.size", "raise ValueError(...)", "return ValueError(...).args",
         "size(9)", ("value", 9)),
        ("source.size", "def (times=2)", "def (times)", "size(1, 7)", [1, 1, 1]),
        ("source.size", "def (value, times=2)", "def (times, value=2)", "size(1)",
         [2, 2, 2]),
        ("source.size", "def (*others, name=None)", "def (*, n=2)", "size(1, 2, n=1)",
         [1, 1, 1]),
        ("source.empty", "def ()", "def (x)", "[*empty(1)]", [None]),
        ("source.empty", "try: yield\nfinally: ...", "yield 7", "[*empty()]", [7]),
    ],
)  # fmt: skip
def test_a_pattern_is_replaced(tmp_path, target, was, becomes, expression, expected):
    assert eval(expression, vars(changed(tmp_path, target, was, becomes))) == expected


@pytest.mark.parametrize(
    ("target", "was", "message"),
    [
        ("ize", "LIMIT", "nothing is called ize"),
        ("Small.size.size", "1", "nothing is called Small.size.size"),
        ("source.size", "LIMIT", "source.size, in source.py, has 'LIMIT' 2 times"),
        ("source.size", "LIMI", "'LIMI' 0 times"),
        ("source.size", "range(LIMIT, ...) + 1", "0 times"),
        ("source.size", "def (times)", "0 times"),
        ("source.size", "def ()", "0 times"),
        ("LIMIT", "def (limit)", "0 times"),
        ("Small.limit", "4", "more ... than the pattern"),
    ],
)
def test_a_misfit_says_what_was_not_found(tmp_path, target, was, message):
    with pytest.raises(Misfit, match=re.escape(message)):
        changed(tmp_path, target, was, "max(...)" if was[:3] != "def" else "def (x)")


def test_the_command_selects_by_name(capfd, monkeypatch):
    monkeypatch.chdir(TOP)
    assert main(["mutants", "--list", "core-*"]) == 0
    listed = capfd.readouterr().out.splitlines()
    assert listed and all(line.startswith("core-") for line in listed)
    assert main(["mutants", "no-such-mutant"]) == 2
