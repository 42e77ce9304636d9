"""The suite on a module that is neither tpuref nor TensorFlow: one over NumPy.

It is complete for four functions. What is stated of these holds, and wrong variants
are noticed by what is stated.
"""

import shutil
from pathlib import Path

import pytest
from tpuref_conformance.catalogue import find_subject
from tpuref_conformance.known import Known
from tpuref_conformance.outcome import CONTRADICTIONS
from tpuref_conformance.report import Column
from tpuref_conformance.runner import Runner
from tpuref_conformance.suite import load_clauses

IMITATION = Path(__file__).parent / "imitation"
FUNCTIONS = ("replicate", "rewrite", "shard", "cross_replica_sum")
CLAUSES = [
    one
    for one in load_clauses()
    if one.source == "document" and one.api in [f"tf.tpu.{name}" for name in FUNCTIONS]
]
BEYOND = {
    "tf.tpu.replicate/args:computation/python-function",
    "tf.tpu.replicate/args:inputs/nested-structure",
}
#: Where modules that compute at once leave nothing to be seen.
UNSEEN = (
    "infeed", "device", "core", "operation", "noop", "overload-graph-node", "names-the",
    "overload-per-replica", "maximum_shapes", "builds-graph-operator",
)  # fmt: skip


def judged(directory):
    """Return the column of the module in the directory."""
    subject = find_subject(str(directory / "conformance_numpylike.py"))
    subject.settings = {"PYTHONPATH": str(directory)}
    run = Runner(CLAUSES, Known()).run_subject(subject)
    assert not run.reason, run.reason
    return Column.of(run)


def test_what_is_stated_holds():
    column = judged(IMITATION)
    assert [(one.id, one.message) for one in column.failures()] == []
    assert {one.id for one in column.excused_failures()} == BEYOND
    seen = [one for one in column.results.values() if one.outcome == "pass"]
    assert len(seen) + len(BEYOND) >= len(CLAUSES) * 2 // 3
    for one in column.results.values():
        if one.outcome == "not-applicable":
            assert any(part in one.id for part in UNSEEN), (one.id, one.message)


WRONG = {
    "groups are ignored": ("for member in group]", "for member in groups[-1]]"),
    "sums are float32": ("axis=0, dtype=x.dtype", "axis=0, dtype=np.float32"),
    "every replica has the inputs of the first": ("*each[number]", "*each[0]"),
    "a tuple comes back as a list": (
        "return replicate(computation, [list(inputs or [])])[0]",
        "return list(replicate(computation, [list(inputs or [])])[0])",
    ),
    "a dictionary loses the order of its keys": (
        "(lambda one: tpu.cross_replica_sum(one, group_assignment), x)",
        "(lambda one: tpu.cross_replica_sum(one), dict(sorted(x.items())))",
    ),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_variants_are_noticed_by_what_is_stated(wrong, tmp_path):
    directory = shutil.copytree(IMITATION, tmp_path / "imitation")
    was, becomes = WRONG[wrong]
    modules = directory / "numpylike.py", directory / "rules.py"
    (module,) = [one for one in modules if was in one.read_text()]
    assert module.read_text().count(was) == 1
    module.write_text(module.read_text().replace(was, becomes))
    failures = judged(directory).failures()
    assert failures
    assert {one.outcome for one in failures} <= set(CONTRADICTIONS)
