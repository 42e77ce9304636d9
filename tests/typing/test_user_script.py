"""The script that type checkers read (tox -e typing) also runs."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

import tpuref as tf
from tpuref.names import table

from ..pythons import python

SCRIPT = Path(__file__).with_name("user_script.py")


def test_it_runs(capsys: pytest.CaptureFixture[str]) -> None:
    functions = runpy.run_path(str(SCRIPT))
    assert functions["sums"]() == [3.0] * 4
    assert functions["resolve"]("grpc://localhost:1") == "grpc://localhost:1"
    functions["train"]()
    with tf.Session() as session:
        assert functions["topology"](session) == 8
    functions["data"]()


def test_its_estimator_trains(tmp_path: Path) -> None:
    estimator = runpy.run_path(str(SCRIPT))["estimate"](str(tmp_path))
    assert estimator.get_variable_value("global_step") == 2


def test_its_program_for_tensorflow_2_runs() -> None:
    script = (
        f"import runpy; functions = runpy.run_path({str(SCRIPT)!r}); print(functions"
    )
    script += "['train_as_in_tensorflow_2']()); print(functions['functions']())"
    trained, scaled = map(float, python("-c", script, check=True).stdout.split())
    assert 0 < trained < 1
    assert scaled == 6.0


@pytest.mark.parametrize(
    ("imported", "path"),
    [
        ("tpuref", "tpu"),
        ("tpuref", "layers"),
        ("tpuref", "contrib.tpu"),
        ("tpuref.compat.v1", "compat.v1.gfile"),
        ("tpuref.compat.v2", "compat.v2"),
        ("tpuref.compat.v2", "compat.v2.nn"),
    ],
)
def test_an_editor_completes_public_names_alone(imported: str, path: str) -> None:
    jedi = pytest.importorskip("jedi")
    below = f"tpuref.{path}".removeprefix(imported)
    completed = jedi.Script(f"import {imported} as tf\ntf{below}.").complete()
    names = {one.name for one in completed if not one.name.startswith("_")}
    assert names == table.listed(path).keys()


def test_an_editor_completes_each_name_of_tf() -> None:
    jedi = pytest.importorskip("jedi")  # it lists the modules of the package, too
    completed = jedi.Script("import tpuref as tf\ntf.").complete()
    assert {one.name for one in completed} >= table.names_of("")


@pytest.mark.parametrize(
    "name", ["tf.tpu.shard", "tf.layers.Dense", "tf.compat.v2.nn.relu", "tf.gfile.Copy"]
)
def test_an_editor_shows_docstrings(name: str) -> None:
    (found,) = pytest.importorskip("jedi").Script(f"import tpuref as tf\n{name}").help()
    assert eval(name).__doc__.strip().splitlines()[0] in found.docstring()
