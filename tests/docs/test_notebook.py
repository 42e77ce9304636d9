"""The notebook of the documentation runs, and its page shows its outputs."""

import importlib.util
import json
import os
import re
import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest

import tpuref

SITE = Path(__file__).resolve().parents[2] / "docs" / "site"
SOURCE = Path(tpuref.__file__).resolve().parents[1]
NOTEBOOKS = SimpleNamespace(**runpy.run_path(str(SITE / "notebooks.py")))
NEEDED = [m for m in ("nbclient", "ipykernel") if not importlib.util.find_spec(m)]

PRINTED = [
    "<tf.Tensor 'concat:0' shape=(8,) dtype=float32>",
    "[0.05 0.05 0.1  0.1  0.15 0.15 0.2  0.2 ]",
    "[0.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0]",
    "[0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5]\n"
    "cluster_2/TPUReplicate input[0]: [1], [2], [3], [4], [5], [6], [7], [8] padded to "
    "[8], 44% waste, forced in dimension 0 by replica 7; 1 compilation, 0 cache hits",
    "[array([24., 24., 24., 24.], dtype=float32)]",
    "[<tf.Tensor 'Square:0' shape=() dtype=float32>,\n"
    " <tf.Tensor 'tower_1/Square:0' shape=() dtype=float32>]",
    "after 60 steps: [ 1.  -2.   0.5]",
]


pytestmark = pytest.mark.skipif(bool(NEEDED), reason=f"needs {' and '.join(NEEDED)}")


@pytest.fixture
def kernels(tmp_path, monkeypatch):
    """Let kernels have the settings of a user."""
    for name in [name for name in os.environ if name.startswith("TPUREF_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PYTHONPATH", str(SOURCE))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path))


def test_the_notebook_of_keras(kernels):
    """Its bar moves, and each last expression of a cell is shown."""
    pytest.importorskip("keras", reason="the extra keras is not installed")
    pytest.importorskip("sklearn", reason="the extra examples is not installed")
    found = NOTEBOOKS.executed(NOTEBOOKS.NOTEBOOK.with_name("keras.ipynb"))
    cells = [cell for cell in json.loads(found)["cells"] if "outputs" in cell]
    outputs = [output for cell in cells for output in cell["outputs"]]
    values = ["".join(o["data"]["text/plain"]) for o in outputs if "data" in o]
    assert values == ["8", "True", "True"]
    bar = "".join(text for o in outputs for text in o.get("text", []))
    assert "Epoch 3/3" in bar and "9/9" in bar and "accuracy: " in bar


def test_the_page_has_each_cell_and_its_output(kernels):
    notebook = NOTEBOOKS.executed(NOTEBOOKS.NOTEBOOK)
    page = NOTEBOOKS.as_markdown(notebook, "first_steps.ipynb")
    cells = json.loads(NOTEBOOKS.NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    assert all("".join(cell["source"]) in page for cell in cells)
    assert re.findall(r"```text\n(.*?)\n```", page, re.DOTALL) == PRINTED
    assert page.count("<svg") == 2
    assert page.startswith("# First steps\n")
    assert "<script" not in page and "javascript:" not in page
    found = set(re.findall(r"https?://[^\s\"\\)]*", notebook))
    assert found <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
