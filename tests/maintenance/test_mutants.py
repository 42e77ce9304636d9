"""The hunt tells the caught mutants from the others.

That each fits the source and is caught is for ``tpuref conformance mutants`` to say,
which tox runs in the environment ``conformance``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tpuref_conformance import main
from tpuref_conformance.suite import load_clauses

from maintenance.mutants import MUTANTS
from maintenance.mutants.families import read_family
from maintenance.mutants.hunt import CAUGHT, MISFIT, SURVIVED
from maintenance.mutants.mutant import Misfit, Mutant

TOP = Path(__file__).resolve().parents[2]
CLAUSES = load_clauses()
CORES = "tf.tpu.core/returns/device-name-string"
SOURCE = '''
LIMIT = 3


class Small:
    limit = 4

    @property
    def size(self):
        """Return one."""
        size = 1
        return max(
            size,
            LIMIT,
        )


def size(value):
    return [
        value
        for _ in range(LIMIT)
    ]
'''


def test_each_has_a_name_and_a_clause():
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS) >= 400
    clauses = {one.id for one in CLAUSES}
    assert [m.name for m in MUTANTS if m.clause not in clauses] == []


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


def core_mutant(name, new, clause=CORES, old='f"device:{REPLICATED_CORE}:{num}"'):
    return Mutant(name, "a test", clause, "cores.core", old, new)


MINE = {
    core_mutant("wrong", '"cpu:0"'): (CAUGHT, "fail"),
    core_mutant("alike", 'f"device:{REPLICATED_CORE}:{num!s}"'): (SURVIVED, "pass"),
    core_mutant("absent", "x", old="no such text"): (MISFIT, "'no such text' 0 times"),
    core_mutant("unstated", "x", clause="tf.no/such/clause"): (MISFIT, "no clause"),
    core_mutant("no-program", "("): (MISFIT, "was never closed"),
    core_mutant("leaves", "__import__('os')._exit(1)"): (CAUGHT, "the process ended"),
}


@pytest.fixture(scope="module")
def verdicts():
    """Return state and message of each mutant of this file."""
    facts = ("name", "says", "clause", "function", "old", "new")
    done = subprocess.run(
        [sys.executable, "-c", HUNT],
        input=json.dumps([[getattr(one, fact) for fact in facts] for one in MINE]),
        env=os.environ | {"TPUREF_EXECUTOR": "lockstep", "TPUREF_KERNELS": "python"},
        cwd=TOP,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = [json.loads(line) for line in done.stdout.splitlines()]
    return {name: (state, message) for name, state, message in found}


@pytest.mark.parametrize("mutant", MINE, ids=lambda one: one.name)
def test_verdicts(verdicts, mutant):
    state, message = MINE[mutant]
    assert verdicts[mutant.name][0] == state and message in verdicts[mutant.name][1]


def test_the_command_counts_the_caught_ones():
    done = subprocess.run(
        [sys.executable, "-m", "maintenance.mutants", MUTANTS[0].name],
        env=os.environ | {"TPUREF_EXECUTOR": "lockstep", "TPUREF_KERNELS": "python"},
        cwd=TOP,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("1 of 1 mutants were caught"), done.stdout


def test_a_family_is_a_list_of_entries(tmp_path):
    path = tmp_path / "family.txt"
    path.write_text("# why\n\na: is b\n  = tf.a/b/c\n  @ f\n  - 1\n  + 2\n")
    (one,) = read_family(path)
    assert (one.name, one.says, one.clause) == ("a", "is b", "tf.a/b/c")
    assert (one.function, one.old, one.new) == ("f", "1", "2")
    path.write_text("a: is b\n  = tf.a/b/c\n  @ f\n  + 2\n")
    with pytest.raises(ValueError, match="expected a name and"):
        read_family(path)


def changed(tmp_path, function, old, new="0"):
    """Return the lines that the change makes."""
    package = tmp_path / "small"
    package.mkdir()
    (package / "source.py").write_text(SOURCE, encoding="utf-8")
    _, text = Mutant("mine", "a test", CORES, function, old, new).changed(str(package))
    before = SOURCE.splitlines()
    return [line.strip() for line in text.splitlines() if line not in before]


@pytest.mark.parametrize(
    ("function", "old", "new", "expected"),
    [
        ("Small.size", "size, LIMIT", "0", ["0,"]),
        ("small.source.Small.size", "max(size, LIMIT)", "0", ["return 0"]),
        ("size", "value for _ in range(LIMIT)", "0", ["0"]),
        ("LIMIT", "3", "0", ["LIMIT = 0"]),
        ("Small.limit", "4", "0", ["limit = 0"]),
        ("Small", "@property", "@staticmethod", ["@staticmethod"]),
        ("source", "def size(value)", "def size(other)", ["def size(other):"]),
    ],
)
def test_a_change_is_found_wherever_it_is(tmp_path, function, old, new, expected):
    assert changed(tmp_path, function, old, new) == expected


@pytest.mark.parametrize(
    ("function", "old", "message"),
    [
        ("ize", "LIMIT", "nothing is called ize"),
        ("Small.size.size", "1", "nothing is called Small.size.size"),
        ("size", "LIMIT", "size, in source.py, has the text 'LIMIT' 2 times"),
        ("size", "LIMI", "'LIMI' 0 times"),
    ],
)
def test_a_misfit_says_what_was_not_found(tmp_path, function, old, message):
    with pytest.raises(Misfit, match=f"mine: .*{message}"):
        changed(tmp_path, function, old)


def test_the_command_selects_by_name(capfd, monkeypatch):
    monkeypatch.chdir(TOP)
    assert main(["mutants", "--list", "core-*"]) == 0
    listed = capfd.readouterr().out.splitlines()
    assert listed and all(line.startswith("core-") for line in listed)
    assert main(["mutants", "no-such-mutant"]) == 2
