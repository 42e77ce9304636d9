"""The mutants of cosmic-ray: which there are, and what becomes of them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip(
    "cosmic_ray", reason="needs the extra: pip install tpuref[mutation]"
)

from maintenance.cosmic_ray import hunt
from maintenance.cosmic_ray.mutants import changed_line, mutants_of

SOURCE = '''\
"""A module."""

from __future__ import annotations

LIMIT: int | None = 3


def least(values: list[int] | None, default: int | None = None) -> int | str:
    """Return the least value, or the default."""
    if values == []:
        return default
    return min(values)
'''


@pytest.fixture
def module(tmp_path):
    path = tmp_path / "least.py"
    path.write_text(SOURCE, encoding="utf-8")
    return mutants_of("least", str(path))


def lines(mutants):
    return {(one.operator, changed_line(*one.sources())[1]) for one in mutants}


def test_each_operator_changes_each_place(module):
    changed = lines(module)
    assert ("core/NumberReplacer", "LIMIT: int | None = 4") in changed
    assert ("core/ReplaceComparisonOperator_Eq_NotEq", "if values != []:") in changed
    assert ("core/AddNot", "if not values == []:") in changed


def test_annotations_are_left_alone(module):
    assert {one.line for one in module} == {5, 10}
    assert all("BitOr" not in one.operator for one in module)


def test_a_mutant_knows_its_function(module):
    inside = [one for one in module if one.line == 10]
    assert {one.function for one in inside} == {range(8, 13)}
    assert {one.function for one in module if one.line == 5} == {range(5, 6)}


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("a\n  b = 1\nc", "a\n  b = 2\nc", ("b = 1", "b = 2")),
        ("x\n\n@property\ndef f():", "x\ndef f():", ("@property", "def f():")),
        ("a\nb", "a", ("b", "")),
    ],
)
def test_the_line_that_a_change_concerns(before, after, expected):
    assert changed_line(before, after) == expected


def test_modules_are_chosen_by_a_part_of_their_names():
    chosen = hunt.modules(["cluster_resolver.node", "tpu.padding"])
    assert {"tpuref.cluster_resolver.node", "tpuref.tpu.padding"} <= set(chosen)
    assert all("node" in name or "padding" in name for name in chosen)
    assert len(hunt.modules()) > len(chosen)


# Two clauses notice one of these mutants of a small module.
HUNT = """
import json, sys
from maintenance.cosmic_ray import hunt

def some_clauses():
    part = "cluster_spec/behaviour/asks-api-every-time"
    return [one for one in load_clauses() if one.id.endswith(part)]

def some_mutants(name, path):
    first = {}
    for one in mutants_of(name, path):
        first.setdefault(one.operator.split("/")[1], one)
    first["NumberReplacer"].occurrence = 1000  # which cosmic-ray cannot make
    names = "AddNot", "ReplaceComparisonOperator_Eq_Is", "NumberReplacer"
    return [first[name] for name in names]

mutants_of, hunt.mutants_of = hunt.mutants_of, some_mutants
load_clauses, hunt.load_clauses = hunt.load_clauses, some_clauses
print(json.dumps([v.as_json() for v in hunt.hunt(hunt.modules(sys.argv[1:]))]))
"""


def test_a_hunt_tells_what_was_noticed():
    variables = os.environ | {"TPUREF_EXECUTOR": "lockstep", "TPUREF_KERNELS": "python"}
    done = subprocess.run(
        [sys.executable, "-c", HUNT, "cluster_resolver.node"],
        env=variables,
        cwd=Path(__file__).resolve().parents[2],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    verdicts = json.loads(done.stdout)
    assert {one["module"] for one in verdicts} == {"tpuref.cluster_resolver.node"}
    states = {one["operator"].split("/")[1]: one["state"] for one in verdicts}
    assert states == {
        "AddNot": "killed",
        "ReplaceComparisonOperator_Eq_Is": "survived",
        "NumberReplacer": "no program",
    }
    for one in verdicts:
        assert (one["before"] == one["after"]) == (one["state"] == "no program")
        assert bool(one["by"]) == (one["state"] == "killed")


def test_modules_that_are_imported_already_cannot_be_changed():
    import tpuref.cluster_resolver.node  # noqa: F401

    files = hunt.modules(["cluster_resolver.node"])
    with pytest.raises(RuntimeError, match="imported before"):
        next(hunt.hunt(files))
