"""The mutants fit the source, and the hunt tells the caught ones from the others.

``tpuref conformance mutants`` runs all of them (tox -e mutants); here a few.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tpuref_conformance import main
from tpuref_conformance.suite import load_clauses

from maintenance.mutants import MUTANTS
from maintenance.mutants.hunt import CAUGHT, MISFIT, SURVIVED, hunt, package_directory
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


def misfit(mutant):
    """Return what the mutant does not find, or nothing."""
    try:
        mutant.changed(package_directory())
    except Misfit as error:
        return str(error)
    return None


def test_every_mutant_fits():
    misfits = [found for found in map(misfit, MUTANTS) if found]
    assert not misfits, "these no longer fit:\n" + "\n".join(misfits)


def test_each_has_a_name_and_a_clause():
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS) >= 226
    clauses = {one.id for one in CLAUSES}
    assert [m.name for m in MUTANTS if m.clause not in clauses] == []


@pytest.mark.parametrize("mutant", MUTANTS[::20], ids=lambda one: one.name)
def test_a_mutant_is_caught(mutant):
    (verdict,) = hunt([mutant], CLAUSES)
    assert verdict.state == CAUGHT, verdict.message


def core_mutant(new, clause=CORES, old='f"device:{REPLICATED_CORE}:{num}"'):
    return Mutant("mine", "a test", clause, "cores.core", old, new)


@pytest.mark.parametrize(
    ("mutant", "state", "message"),
    [
        (core_mutant('"cpu:0"'), CAUGHT, "fail"),
        (core_mutant('f"device:{REPLICATED_CORE}:{num!s}"'), SURVIVED, "pass"),
        (core_mutant("x", old="no such text"), MISFIT, "'no such text' 0 times"),
        (core_mutant("x", clause="tf.no/such/clause"), MISFIT, "no clause"),
        (core_mutant("("), MISFIT, "was never closed"),
    ],
)
def test_verdicts(mutant, state, message):
    (verdict,) = hunt([mutant], CLAUSES)
    assert verdict.state == state and message in verdict.message


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


def test_the_command_selects_by_name(capsys, monkeypatch):
    monkeypatch.chdir(TOP)
    assert main(["mutants", "--list", "core-*"]) == 0
    listed = capsys.readouterr().out.splitlines()
    assert listed and all(line.startswith("core-") for line in listed)
    assert main(["mutants", "no-such-mutant"]) == 2
