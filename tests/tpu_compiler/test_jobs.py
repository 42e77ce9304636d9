"""Child processes of the TPU compiler: those that die or hang, and the cache."""

import pickle
import signal
import threading
from importlib import metadata

import pytest

from tpuref.tools.cli import main
from tpuref.tools.tpu_compiler import jobs
from tpuref.tools.tpu_compiler.targets import TARGETS

from ..pythons import python

V3 = TARGETS["v3-8"]


class Trap:
    """A request that runs a statement in the child process that reads it."""

    def __init__(self, statement):
        self.statement = statement

    def __reduce__(self):
        return exec, (self.statement,)


def described(folder, statement, key="trap"):
    """Return the description of a program, as `request.store` does."""
    file = folder / f"{key}.pickle"
    file.write_bytes(pickle.dumps(Trap(statement)))
    known = {"name": "program", "site": "here", "runs": 1, "shapes": []}
    known |= {"calls_per_step": None, "replicas": 8, "logical": 1, "assigned": False}
    return {**known, "key": key, "file": str(file)}


def compiled(program, deadline=60.0):
    return jobs.compile_all([(V3, [program])], deadline)["targets"][0]["programs"][0]


@pytest.fixture
def versions(monkeypatch):
    """Let packages have these versions, installed or not."""
    found = {"jax": "0.12.0", "libtpu": "0.0.52"}
    monkeypatch.setattr(metadata, "version", found.__getitem__)
    return found


@pytest.mark.parametrize(
    ("statement", "deadline", "message"),
    [
        (
            f"import os; os.kill(os.getpid(), {int(signal.SIGKILL)})",
            *(60.0, "not judged: the TPU compiler failed: SIGKILL ended its process"),
        ),
        (
            "import time; time.sleep(1000)",
            *(5.0, "not judged: the TPU compiler failed: it took longer than 5 s (--d"),
        ),
    ],
)
def test_a_compiler_that_fails_is_one_clear_error(
    tmp_path, statement, deadline, message, compiler
):
    report = compiled(described(tmp_path, statement), deadline)
    assert (report["compiles"], report["fits"]) == (None, None)
    assert message in report["message"]
    assert report["hbm"]["peak"] is None


@pytest.mark.parametrize("version", ["0.0.12", "nightly"])
def test_a_wheel_that_is_too_old(versions, version, capsys):
    versions["libtpu"] = version
    assert main(["compile", "--for", "v3-8", __file__]) == 2
    said = capsys.readouterr().err
    assert "libtpu, 0.0.40 or newer, for Python 3.11 or newer" in said
    assert f"installed is {version}: pip install 'tpuref[tpu]'" in said


def test_as_many_programs_compile_at_once_as_there_are_processors(
    versions, monkeypatch, tmp_path
):
    together = threading.Barrier(3)

    def in_child(*arguments):
        together.wait(10)
        return {}

    monkeypatch.setattr(jobs, "processors", lambda: 3)
    monkeypatch.setattr(jobs, "_in_child", in_child)
    programs = [described(tmp_path, "", f"parallel {k}") for k in range(3)]
    assert len(jobs.compile_all([(V3, programs)])["targets"][0]["programs"]) == 3


def test_results_are_kept_by_program_and_target(versions, monkeypatch, tmp_path):
    asked = []

    def in_child(target, program, deadline, cached):
        asked.append((program["key"], target.name, versions["libtpu"]))
        report = {"compiles": True}
        jobs._keep(cached, report)
        return report

    monkeypatch.setattr(jobs, "_in_child", in_child)
    one, two = (described(tmp_path, "", f"kept {k}") for k in range(2))
    v5 = TARGETS["v5e-8"]
    for target, program in ((V3, one), (V3, one), (v5, one), (V3, two), (V3, one)):
        report = jobs.compile_all([(target, [program])])
        assert report["targets"][0]["programs"][0]["compiles"]
    versions["libtpu"] = "0.0.53"
    jobs.compile_all([(V3, [one])])
    assert asked == [
        ("kept 0", "v3-8", "0.0.52"),
        ("kept 0", "v5e-8", "0.0.52"),
        ("kept 1", "v3-8", "0.0.52"),
        ("kept 0", "v3-8", "0.0.53"),
    ]


def test_the_executor_on_xla_does_not_start_libtpu(compiler):
    code = "import tpuref as tf; tf.Session().run(tf.tpu.rewrite(lambda: 1.0))"
    env = {"TPUREF_EXECUTOR": "xla", "JAX_PLATFORMS": None}
    assert python("-c", code, env=env, check=True).stderr == ""
