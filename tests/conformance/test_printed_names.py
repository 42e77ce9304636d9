"""Clauses of TPUStrategy need no names but those printed on its page."""

from pathlib import Path

from tpuref_conformance.catalogue import find_subject
from tpuref_conformance.known import Known
from tpuref_conformance.report import Column
from tpuref_conformance.runner import Runner
from tpuref_conformance.suite import load_clauses

DIRECTORY = Path(__file__).parent
STRATEGY = "tf.contrib.distribute.TPUStrategy"
#: What the page says nothing of, and a subject file cannot give: several hosts, eager
#: mode, the configuration of sessions, the current strategy and tower-local variables.
UNSEEN = {
    f"{STRATEGY}/args:num_cores/none-detects-topology",
    f"{STRATEGY}/args:tpu_cluster_resolver/gives-cluster-information",
    f"{STRATEGY}.configure/behaviour/configures-strategy",
    f"{STRATEGY}.finalize/behaviour/eager-executes",
    f"{STRATEGY}.get_host_cpu_device/returns/host-cpu-device-name",
    f"{STRATEGY}.initialize/behaviour/eager-executes",
    f"{STRATEGY}.read_var/behaviour/aggregates-tower-local",
    f"{STRATEGY}.scope/behaviour/selects-strategy",
}


def test_printed_names_are_enough():
    clauses = [one for one in load_clauses() if one.api.startswith(STRATEGY)]
    clauses = [one for one in clauses if one.source == "document"]
    subject = find_subject(str(DIRECTORY / "conformance_printed.py"))
    subject.settings = {"PYTHONPATH": str(DIRECTORY), "TPUREF_EXECUTOR": "lockstep"}
    run = Runner(clauses, Known()).run_subject(subject)
    assert not run.reason, run.reason
    results = Column.of(run).results.values()
    assert {one.id for one in results if one.outcome == "not-applicable"} == UNSEEN
    left = [one for one in results if one.outcome not in ("pass", "not-applicable")]
    assert [(one.id, one.message) for one in left] == []
