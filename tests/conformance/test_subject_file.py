"""Subject files: somebody else's module, described in a few lines."""

import pytest
from tpuref_conformance import main

from ..pythons import python

IDENTITY = '''
"""Returns its argument instead of the sum."""
import numpy as np

constant = np.float32
stack = np.stack

class tpu:
    def cross_replica_sum(x, group_assignment=None, name=None):
        return x

    def replicate(computation, inputs=None):
        return [[computation(*map(np.float32, one))] for one in inputs]
'''
DESCRIBED = """
import contextlib
from tpuref_conformance.description import Eager

MODULE = "identity"
SKIP = {"*/row-lists-*": "not yet"}

@contextlib.contextmanager
def cores(tf, number):
    yield

def session(tf):
    return Eager()
"""
GROUPS = ["--clause", "tf.tpu.cross_replica_sum/args:group_assignment/*", "--tier=run"]


@pytest.fixture
def project(tmp_path, monkeypatch):
    """Stand in a directory with the module ``identity``."""
    (tmp_path / "identity.py").write_text(IDENTITY)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_without_a_subject_file_the_report_says_how_to_have_values(project, capsys):
    assert main(["--subject", "identity", *GROUPS, "--json"]) == 0
    assert "a subject file can say how to" in capsys.readouterr().out


def test_a_sum_that_returns_its_argument_is_wrong(project, capsys):
    (project / "conformance_identity.py").write_text(DESCRIBED)
    assert main(["--subject", "identity", *GROUPS]) == 1
    lines = capsys.readouterr().out.splitlines()
    (failure,) = [line for line in lines if line.startswith("identity: fail")]
    assert "subgroups: value at [0][0]: expected 2.0, got" in failure
    assert main(["--subject", "conformance_identity.py", *GROUPS, "--verbose"]) == 1
    script = capsys.readouterr().out.split("reproduction, for ")[1].partition("\n")[2]
    (project / "script.py").write_text("\n".join(x[4:] for x in script.splitlines()))
    done = python("script.py")
    assert "AssertionError: value at [0][0]: expected 2.0" in done.stderr, done


def test_constants_are_made_as_the_file_says(project, capsys):
    text = IDENTITY.replace("constant = np.float32\n", "")
    (project / "identity.py").write_text(text)
    (project / "conformance_identity.py").write_text(DESCRIBED)
    outside = ["--clause", "*/default-group-assignment", "--subject", "identity"]
    assert main([*outside]) == 0
    assert "does not say how to make a constant" in capsys.readouterr().out
    made = "\ndef constant(tf, array):\n    return array\n"
    (project / "conformance_identity.py").write_text(DESCRIBED + made)
    assert main([*outside]) == 0
    assert "not-applicable:" not in capsys.readouterr().out


def test_known_failures_are_in_a_file_of_the_project(project, capsys):
    text = DESCRIBED + 'KNOWN = "known.toml"\n'
    (project / "conformance_identity.py").write_text(text)
    assert main(["--subject", "identity", *GROUPS]) == 2
    assert "known.toml: there is no such file" in capsys.readouterr().err
    (project / "known.toml").write_text(
        '["tf.tpu.cross_replica_sum/args:group_assignment/subgroups"]\n'
        'outcome = "fail"\nobserved = "expected 2.0"\nevidence = "issue 7"\n'
    )
    assert main(["--subject", "identity", *GROUPS]) == 0
    assert "1d 1-" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected a line MODULE"),
        ("MODULE = 7", "MODULE must be a str"),
        ("MODULE = 'a'\nSKIP = {name: 'why'}", "SKIP must be a dict"),
        ("MODULE =", "cannot be read"),
    ],
)
def test_a_file_that_describes_nothing_is_refused(project, capsys, text, message):
    (project / "conformance_identity.py").write_text(text)
    assert main(["--subject", "identity", *GROUPS]) == 2
    assert message in capsys.readouterr().err


def test_init_writes_what_can_be_run(project, capsys):
    assert main(["init", "identity", "--tox", "--python", "3.11", "3.12"]) == 0
    written = capsys.readouterr().out.split()
    assert written == [
        "conformance_identity.py",
        "tox.ini",
        ".github/workflows/conformance.yml",
    ]
    assert "env_list = py{311,312}-{identity}" in (project / "tox.ini").read_text()
    assert '["3.11", "3.12"]' in (project / written[-1]).read_text()
    assert main(["--subject", "identity", "--clause", "*/sum*", "--api=tf.t*"]) == 0
    assert main(["init", "identity"]) == 2
    assert "is there already" in capsys.readouterr().err


def test_the_clauses_are_tests_of_the_subject(project):
    (project / "conformance_identity.py").write_text(DESCRIBED)
    done = python(
        *("-m", "pytest", "-q", "-n1", "-p", "no:cacheprovider"),
        *("--pyargs", "tpuref.tools.conformance", "--subject", "identity"),
        *("-k", "cross_replica_sum and (group_assignment or surface or returns)"),
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert "test_clause[tf.tpu.cross_replica_sum/args:group_assignment/subgroups]" in (
        done.stdout
    )
    assert "according to tf.tpu (TensorFlow 1.15.5)" in done.stdout
    assert "skipped" in done.stdout.splitlines()[-1]
