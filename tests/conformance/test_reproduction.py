"""The scripts that reproduce a clause run without the suite."""

import sys

import pytest
from tpuref_conformance.reproduction import snippet
from tpuref_conformance.suite import load_clauses

import tpuref

from ..pythons import python

CLAUSES = {one.id: one for one in load_clauses()}
# Alone in their process, with a helper module, a registry, a renamed function.
IN_A_FILE = (
    "tf.tpu.core/name/exists",
    "tf.compat.v1.tpu.replicate/args:inputs/equal-number",
    "tf.tpu.core_dyn/returns/same-as-plain",
)


@pytest.mark.parametrize("tier", ["surface", "build", "host", "run"])
def test_the_scripts_need_no_suite_and_pass_where_the_clauses_do(
    tier, capsys, monkeypatch
):
    """Those that run programs are compiled only."""
    monkeypatch.setattr(sys, "stdout", sys.stdout)
    for clause in CLAUSES.values():
        if clause.tier != tier:
            continue
        text = snippet(clause)
        assert "tpuref_conformance" not in text, clause.id
        assert "from ." not in text, clause.id
        code = compile(text, clause.id, "exec")
        if tier != "run":
            with tpuref.config.override(executor="lockstep"):
                exec(code, {})
            assert f"{clause.id}: pass" in capsys.readouterr().out
            tpuref.reset_default_graph()


@pytest.mark.parametrize("id", IN_A_FILE)
def test_pasted_into_a_file_it_runs(tmp_path, id):
    file = tmp_path / "clause.py"
    file.write_text(snippet(CLAUSES[id], settings={"TPUREF_EXECUTOR": "lockstep"}))
    done = python(file)
    assert done.stdout == f"{id}: pass\n", done.stderr


def test_it_runs_on_a_server_as_the_subject_does(tmp_path):
    pytest.importorskip("grpc", reason="sessions on a server need grpcio")
    id = "tf.compat.v1.tpu.replicate/args:inputs/indexed-replica-then-input"
    file = tmp_path / "clause.py"
    text = snippet(CLAUSES[id], settings={"TPUREF_EXECUTOR": "lockstep"}, served=True)
    assert "with sessions_on_a_server(tf), tf.Graph().as_default():" in text
    file.write_text(text)
    done = python(file)
    assert done.stdout == f"{id}: pass\n", done.stderr


def test_a_module_needs_no_graph():
    text = snippet(CLAUSES["tf.tpu.core/name/exists"], module="json")
    with pytest.raises(AttributeError, match="'json' has no attribute 'tpu'"):
        exec(compile(text, "clause", "exec"), {})


def test_a_release_is_loaded_as_the_runner_loads_it():
    text = snippet(CLAUSES["tf.tpu.core/name/exists"], module="tensorflow")
    assert 'tf = load("tensorflow")' in text
    assert "disable_v2_behavior" in text
