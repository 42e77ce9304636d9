"""Every statement has its check, and both fit together."""

import pytest
from tpuref_conformance import main
from tpuref_conformance.coverage import Coverage
from tpuref_conformance.documents import DOCUMENTS
from tpuref_conformance.statements import Statement, statements
from tpuref_conformance.suite import load_checks

DOCUMENT = DOCUMENTS[0].file


def test_the_command_finds_nothing(capsys):
    assert main(["coverage"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "statements without a check: none",
        "checks without a statement: none",
        "sentences without a statement: none",
        "faults: none",
    ]


def test_the_command_lists_what_is_missing(monkeypatch, capsys):
    monkeypatch.setattr("tpuref_conformance.command.statements", lambda: {})
    assert main(["coverage"]) == 1
    text = capsys.readouterr().out
    assert "statements without a check: none" in text
    assert "  tf.tpu.core/name/exists" in text


def test_what_is_missing_on_either_side_is_listed():
    stated = {"tf.a/b/c": Statement("tf.a/b/c", "document", DOCUMENT, "run", "Says.")}
    coverage = Coverage(stated, {"tf.d/e/f": print})
    assert (coverage.unchecked, coverage.unstated) == (["tf.a/b/c"], ["tf.d/e/f"])
    assert not coverage.complete
    assert coverage.lines()[:2] == ["statements without a check: 1", "  tf.a/b/c"]


@pytest.mark.parametrize(
    ("id", "changed", "fault"),
    [
        ("tf.tpu.core/name/exists", {"says": "A name"}, "no sentence"),
        ("tf.tpu.core/name/exists", {"says": "tpuref has it."}, "speaks of tpuref"),
        ("tf.tpu.core/name/exists", {"document": DOCUMENTS[1].file},
         "but tf.tpu.core is that of"),
        ("tf.tpu.core/name/exists", {"versions": ("1.9", "1.10")},
         "no release that can be run"),
        ("tf.tpu.bfloat16_scope_dyn/behaviour/same-as-plain", {"tier": "surface"},
         "session"),
        ("tf.tpu.rewrite/args:computation/applied-to-inputs", {"tier": "build"}, "sys"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_a_fault(id, changed, fault):
    checks = load_checks()
    stated = {one: statements()[one] for one in ("tf.tpu.core/signature/num-only", id)}
    stated[id] = Statement(**dict(stated[id].as_json(), **changed))
    (found,) = Coverage(stated, {one: checks[one] for one in stated}).faults
    assert found.startswith(id) and fault in found


def test_two_statements_about_a_name_say_different_things():
    stated = {
        id: Statement(id, "document", DOCUMENT, "surface", "The same.")
        for id in ("tf.a/b/c", "tf.a/b/d", "tf.e/b/c")
    }
    (fault,) = Coverage(stated, {}).faults
    assert fault == "tf.a/b/d: says the same as tf.a/b/c"
