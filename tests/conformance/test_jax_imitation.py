"""The suite on a module that is neither tpuref nor TensorFlow: one over JAX.

Whatever its subject file describes is judged; three deliberate slips are found.
"""

from pathlib import Path

import pytest
from tpuref_conformance.catalogue import find_subject
from tpuref_conformance.known import Known
from tpuref_conformance.runner import Runner
from tpuref_conformance.suite import load_clauses

pytest.importorskip("jax", reason="the imitation is one over JAX")

IMITATION = Path(__file__).parent / "imitation"
UNSEEN = {
    "args:x/overload-graph-node",
    "args:x/overload-per-replica",
    "args:name/names-the-op",
}
SLIPS = {
    "tf.tpu.shard/name/splits-along-axes",
    "tf.tpu.shard/name/outputs-from-all-shards-true",
    "tf.tpu.rewrite/returns/single-value-is-tuple",
    "tf.tpu.core/returns/device-name-string",
}
RIGHT = {
    "tf.tpu.replicate/behaviour/runs-once-per-replica",
    "tf.tpu.replicate/args:inputs/leaves-convert",
    "tf.tpu.replicate/returns/list-by-replica",
    "tf.tpu.replicate/returns/single-value-is-tuple",
    "tf.tpu.batch_parallel/returns/concatenated-first-dimension",
    "tf.tpu.shard/name/input-axes-default-zero",
    "tf.tpu.shard/name/captured-broadcast",
}


@pytest.fixture(scope="module")
def results():
    """Return the outcome of each chosen clause."""
    clauses = [
        one
        for one in load_clauses()
        if one.api == "tf.tpu.cross_replica_sum" or one.id in SLIPS | RIGHT
    ]
    subject = find_subject(str(IMITATION / "conformance_jaxlike.py"))
    subject.settings = {"PYTHONPATH": str(IMITATION), "JAX_PLATFORMS": "cpu"}
    run = Runner(clauses, Known()).run_subject(subject)
    assert not run.reason, run.reason
    return {one.id: one for one in run.results}


def test_its_right_functions_pass(results):
    sums = "tf.tpu.cross_replica_sum/"
    unseen = {sums + one for one in UNSEEN}
    for id, one in results.items():
        if id.startswith(sums) or id in RIGHT:
            expected = "not-applicable" if id in unseen else "pass"
            assert one.outcome == expected, (id, one.message, one.trace)


def test_its_slips_are_named(results):
    assert {id: results[id].outcome for id in SLIPS} == dict.fromkeys(SLIPS, "fail")
