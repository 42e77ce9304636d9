"""tpuref doctor: what is found, and what to do."""

import json
import os

import pytest

import tpuref as tf
from tpuref.base import processors as processors_module
from tpuref.base.processors import cpu_quota, processors, usable_processors
from tpuref.base.version import __version__
from tpuref.engine.runtime.available_memory import UNLIMITED
from tpuref.engine.runtime.topology.topology import Topology
from tpuref.tools.cli import checks, doctor, main
from tpuref.tools.cli.checks import GOOD, NOTE, PROBLEM
from tpuref.tools.cli.doctor import memory

from ..pythons import python

GIBIBYTE = 1 << 30


def test_doctor_tells_what_is_in_use(capsys, environment):
    with tf.config.override(topology="3x1x2"):
        assert main(["doctor"]) == 0
    text, _, findings = capsys.readouterr().out.partition("\n\n")
    facts = dict(line.split("  ", 1) for line in text.splitlines())
    facts = {name.strip(): value.strip() for name, value in facts.items()}
    assert facts["tpuref"] == __version__
    assert facts["topology"].startswith("3x1x2, 6 cores")
    assert int(facts["usable CPUs"]) == usable_processors() >= 1
    assert facts["memory"].endswith("GiB")
    assert float(memory().removesuffix(" GiB")) > 0.1
    for name in ("python", "platform", "numpy", "ml_dtypes", "kernels", "executor"):
        assert facts[name]
    assert "ok       cores: 6 started (lockstep)" in findings


def test_doctor_speaks_json(capsys, environment):
    environment.setenv("TPUREF_TIMEOUT", "60")
    assert main(["doctor", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["topology"].startswith("2x2x2, 8 cores")
    assert facts["settings"]["TPUREF_TIMEOUT"] == "60"
    assert facts["kernels"] in ("python", "cython")
    names = " ".join(check["name"] for check in facts["checks"])
    assert names == "variables kernels processors memory cores"
    assert all(set(c) == {"name", "state", "found", "advice"} for c in facts["checks"])


def test_a_setting_with_which_nothing_runs():
    done = python("-m", "tpuref", "doctor", "--json", env={"TPUREF_CORES": "eight"})
    assert done.returncode == 1 and done.stderr == ""
    facts = json.loads(done.stdout)
    (check,) = facts["checks"]
    assert check["state"] == PROBLEM and "TPUREF_CORES" in check["found"]
    assert check["advice"] == "tpuref explain TPUREF-E001"
    assert facts["settings"]["TPUREF_CORES"] == "eight"


def test_cpus_without_affinity(monkeypatch):
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 6)
    assert usable_processors() == 6
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert usable_processors() == 1


OLDER = {"cpu/cpu.cfs_period_us": "100000\n"}


@pytest.mark.parametrize(
    ("files", "quota", "usable"),
    [
        ({}, None, 6),
        ({"cpu.max": "max 100000\n"}, None, 6),
        ({"cpu.max": "250000 100000\n"}, 2.5, 2),
        ({"cpu.max": "50000 100000\n"}, 0.5, 1),
        ({"cpu.max": "900000 100000\n"}, 9.0, 6),
        (OLDER | {"cpu/cpu.cfs_quota_us": "-1\n"}, None, 6),
        (OLDER | {"cpu/cpu.cfs_quota_us": "300000\n"}, 3.0, 3),
    ],
)
def test_the_quota_of_a_container(files, quota, usable, tmp_path, monkeypatch):
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(processors_module, "CONTROL_GROUPS", tmp_path)
    monkeypatch.setattr(processors_module, "usable_processors", lambda: 6)
    assert cpu_quota() == quota and processors() == usable


def test_the_tpu_that_the_environment_names(environment):
    for name in ("KUBE_GOOGLE_CLOUD_TPU_ENDPOINTS", "TPU_NAME", "TPU_CONFIG"):
        environment.delenv(name, raising=False)
    assert doctor._cloud_tpu().startswith("none (KUBE_GOOGLE_CLOUD_TPU_ENDPOINTS: not")
    environment.setenv("TPU_NAME", "my-tpu")
    assert doctor._cloud_tpu().endswith("TPU_NAME: 'my-tpu', the name of a Cloud TPU")


def test_extras_that_are_not_there(monkeypatch):
    monkeypatch.setattr(doctor, "EXTRAS", {"xla": ("json",), "cloud": ("no.such",)})
    assert doctor._extra("xla") == "installed"
    assert doctor._extra("cloud").startswith("pip install 'tpuref[cloud]'")


def test_a_variable_that_is_misspelt():
    found = checks.misspelt_variables({"TPUREF_CORE": "8", "TPUREF_OTHER": "x"})
    assert found.state == NOTE and found.advice == "set TPUREF_CORES"
    assert checks.misspelt_variables({"TPUREF_CORES": "8", "CORE": ""}).state == GOOD


def test_kernels(environment):
    assert checks.compiled_kernels("cython").state == GOOD
    found = checks.compiled_kernels("python")
    assert found.state == NOTE and "C compiler" in found.advice
    environment.setenv("TPUREF_KERNELS", "python")
    assert "unset TPUREF_KERNELS" in checks.compiled_kernels("python").advice


def test_off_linux_no_kernels_are_missing(environment):
    environment.delenv("TPUREF_KERNELS", raising=False)
    environment.setattr("sys.platform", "darwin")
    assert checks.compiled_kernels("python").state == GOOD


def test_processors_and_memory_for_the_cores():
    assert checks.processors(8, 8).state == GOOD
    found = checks.processors(2, 8)
    assert found.state == NOTE and "TPUREF_CORES=2" in found.advice
    assert checks.memory(8 * GIBIBYTE, 8).state == GOOD
    unlimited = checks.memory(UNLIMITED, 8).found
    assert unlimited == "this system does not say how much is available"
    found = checks.memory(GIBIBYTE // 2, 8)
    assert found.state == PROBLEM and "TPUREF_PROCESSES" in found.advice


def test_a_sum_that_fails_or_is_wrong(monkeypatch):
    def refused(*_):
        raise tf.errors.UnavailableError("core 1 did not start [TPUREF-E040]\nits log")

    def summed(run):
        monkeypatch.setattr(tf.Session, "run", run)
        return checks.sum_over_cores(Topology.for_mesh(1, 1, 2), "pool")

    found = summed(refused)
    assert found.state == PROBLEM and found.advice == "tpuref explain TPUREF-E040"
    assert found.found == "core 1 did not start [TPUREF-E040]"
    found = summed(lambda *_: [[1.0], [2.0]])
    assert found.state == PROBLEM and "[1.0, 2.0]" in found.found


def test_a_problem_is_the_exit_status(monkeypatch, capsys):
    problem = checks.Check("memory", PROBLEM, "none", "buy some")
    monkeypatch.setattr(doctor, "_findings", lambda: [problem])
    assert main(["doctor"]) == 1
    out = capsys.readouterr().out
    assert out.endswith("problem  memory: none\n         what to do: buy some\n")
