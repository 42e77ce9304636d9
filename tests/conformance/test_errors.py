"""Every documented error is triggered in three ways or more."""

import pytest
from tpuref_conformance import clause as clause_module
from tpuref_conformance.judge import judge
from tpuref_conformance.outcome import PASS
from tpuref_conformance.statements import Statement
from tpuref_conformance.suite import load_clauses

import tpuref

CLAUSES = {one.id: one for one in load_clauses()}

# What a document calls an error is found by the name of its clause; here is what it
# demands without a word about errors.
DEMANDS = (
    "tf.tpu.batch_parallel/args:device_assignment/needed-for-several-cores",
    "tf.tpu.batch_parallel/args:device_assignment/needed-otherwise",
    "tf.tpu.batch_parallel/args:inputs/divisible",
    "tf.tpu.batch_parallel/args:inputs/list-of-tensors",
    "tf.tpu.cross_replica_sum/args:group_assignment/equal-group-sizes",
    "tf.tpu.cross_replica_sum/args:group_assignment/partition",
    "tf.tpu.cross_replica_sum/args:group_assignment/two-dimensional",
    "tf.tpu.initialize_system/returns/evaluate-before-use",
    "tf.tpu.replicate/args:device_assignment/needed-for-several-cores",
    "tf.tpu.replicate/args:device_assignment/needed-otherwise",
    "tf.tpu.replicate/args:inputs/equal-number",
    "tf.tpu.replicate/args:maximum_shapes/structure-equals-first-replica",
    "tf.tpu.rewrite/args:computation/as-many-inputs-as-parameters",
    "tf.tpu.rewrite/args:computation/tensors-first",
    "tf.tpu.shard/name/input-axis-divisible",
    "tf.tpu.shard/name/inputs-list-or-none",
    "tf.contrib.distribute.TPUStrategy/signature/init-required",
    "tf.contrib.distribute.TPUStrategy.colocate_vars_with/behaviour/only-inside-scope",
    "tf.contrib.distribute.TPUStrategy.reduce/args:value/one-value-per-tower",
    "tf.contrib.distribute.TPUStrategy.reduce/behaviour/cross-tower-only",
    "tf.compat.v1.tpu.replicate/args:device_assignment/needed-for-several-cores",
    "tf.compat.v1.tpu.replicate/args:device_assignment/needed-otherwise",
    "tf.compat.v1.tpu.replicate/args:inputs/equal-number",
    "tf.compat.v1.tpu.replicate/args:maximum_shapes/structure-equals-first-replica",
    "tf.distribute.cluster_resolver.TPUClusterResolver/args:tpu/no-lists-yet",
    "tf.distribute.cluster_resolver.TPUClusterResolver.num_accelerators/behaviour/"
    "verifies-equal-hosts",
)
ERRORS = [
    one.id
    for one in CLAUSES.values()
    if one.source == "document" and ("/raises" in one.id or one.id.endswith("-error"))
]


def triggers(clause, monkeypatch):
    """Return how many calls the check of ``clause`` makes that must raise."""
    described = []
    describe = clause_module._describe_call

    def counted(*call):
        described.append(call)
        return describe(*call)

    monkeypatch.setattr(clause_module, "_describe_call", counted)
    with tpuref.config.override(executor="lockstep"):
        result = judge(clause, tpuref)
    assert result.outcome == PASS, result.message
    return len(described)


def test_the_documents_name_errors_of_every_kind():
    assert len(ERRORS) >= 20 and not set(ERRORS) & set(DEMANDS)
    assert {CLAUSES[id].document[:3] for id in ERRORS} >= {
        "000",
        "001",
        "002",
        "003",
        "004",
    }


@pytest.mark.parametrize("id", [*ERRORS, *DEMANDS])
def test_an_error_has_three_triggers(id, monkeypatch):
    assert triggers(CLAUSES[id], monkeypatch) >= 3


def test_a_check_with_one_trigger_is_counted_as_such(monkeypatch):
    def once(tf):
        clause_module.expect_raises(ValueError, int, "ten")
        assert int("10") == 10

    statement = Statement("tf.tpu/raises/b", "document", "000.txt", "host", "Says.")
    assert triggers(clause_module.Clause(statement, once), monkeypatch) == 1
