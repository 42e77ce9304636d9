"""The mutants apply, and the hunt tells the caught ones from the others.

All of them are run by ``tpuref conformance mutants`` (tox: conformance); here one of
each group.
"""

from __future__ import annotations

import pytest
from tpuref_conformance import main, registered
from tpuref_conformance.mutants import MUTANTS
from tpuref_conformance.mutants.hunt import (
    CAUGHT,
    NOT_APPLIED,
    SURVIVED,
    hunt,
    package_directory,
)
from tpuref_conformance.mutants.mutant import Mutant
from tpuref_conformance.suite import load_clauses

load_clauses()
CORES = "tf.tpu.core/returns/device-name-string"


def some_of_different_files():
    first = {}
    for mutant in MUTANTS:
        first.setdefault(mutant.file, mutant)
    return list(first.values())[::4]


def test_there_are_many_with_a_name_and_a_clause_each():
    assert len(MUTANTS) >= 120
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS)
    clauses = {one.id for one in registered()}
    assert [m.name for m in MUTANTS if m.clause not in clauses] == []
    assert {one.clause.split("/")[0] for one in MUTANTS} <= {
        one.api for one in registered()
    }


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda one: one.name)
def test_the_change_fits_the_source(mutant, tmp_path):
    with open(f"{package_directory()}/{mutant.file}", encoding="utf-8") as stream:
        source = stream.read()
    assert source.count(mutant.old) == 1
    compile(source.replace(mutant.old, mutant.new), mutant.file, "exec")


@pytest.mark.parametrize("mutant", some_of_different_files(), ids=lambda one: one.name)
def test_a_mutant_is_caught(mutant):
    (verdict,) = hunt([mutant], registered())
    assert verdict.state == CAUGHT, verdict.message


def core_mutant(new, clause=CORES, old='return f"device:{REPLICATED_CORE}:{num}"'):
    return Mutant("mine", "a test", clause, "tpu/cores.py", old, new)


@pytest.mark.parametrize(
    ("mutant", "state", "message"),
    [
        (core_mutant("return 'cpu:0'"), CAUGHT, "fail"),
        (core_mutant('return f"device:{REPLICATED_CORE}:{num!s}"'), SURVIVED, "pass"),
        (core_mutant("x", old="no such text"), NOT_APPLIED, "0 times"),
        (core_mutant("x", clause="tf.no/such/clause"), NOT_APPLIED, "no clause"),
        (core_mutant("return ("), NOT_APPLIED, "SyntaxError"),
    ],
)
def test_verdicts(mutant, state, message):
    (verdict,) = hunt([mutant], registered())
    assert verdict.state == state and message in verdict.message


def test_the_command_selects_by_name(capsys):
    assert main(["mutants", "--list", "core-*"]) == 0
    assert all(
        line.startswith("core-") for line in capsys.readouterr().out.splitlines()
    )
    assert main(["mutants", "no-such-mutant"]) == 2
