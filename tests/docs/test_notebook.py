"""Executing the notebook of the documentation gives the outputs stored in it."""

import importlib.util
import json
import os
import re
import runpy
import subprocess
import sys
from html import unescape
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest

import tpuref

SITE = Path(__file__).resolve().parents[2] / "docs" / "site"
SOURCE = Path(tpuref.__file__).resolve().parents[1]


NOTEBOOKS = SimpleNamespace(**runpy.run_path(str(SITE / "notebooks.py")))


def cells(notebook):
    return list(json.loads(notebook.read_text(encoding="utf-8"))["cells"])


def words(html):
    """Return the words of the drawing of a graph, None for anything else.

    Graphviz lays it out a little different in each of its versions, and where it is not
    installed the text for it is shown.
    """
    if "<pre>digraph" in html:
        labels = re.findall(r'label="([^"]*)"', unescape(html))
        return sorted(line for label in labels for line in label.split("\\n") if line)
    if 'class="graph"' in html:
        nodes = ElementTree.fromstring(html).iter("{http://www.w3.org/2000/svg}text")
        return sorted(node.text or "" for node in nodes)
    return None


def comparable(outputs):
    """Return outputs with the text of each stream in one piece."""
    found = []
    for output in outputs:
        if output["output_type"] == "stream":
            found.append((output["name"], "".join(output["text"])))
            continue
        assert output["output_type"] != "error", output
        data = {kind: "".join(text) for kind, text in output["data"].items()}
        drawn = words(data.get("text/html", ""))
        found.append(data if drawn is None else drawn)
    return found


NEEDED = [m for m in ("nbclient", "ipykernel") if not importlib.util.find_spec(m)]


@pytest.mark.skipif(bool(NEEDED), reason=f"needs {' and '.join(NEEDED)}")
def test_the_outputs_are_those_of_the_cells(tmp_path, monkeypatch):
    for name in [name for name in os.environ if name.startswith("TPUREF_")]:
        monkeypatch.delenv(name)
    output = tmp_path / "executed.ipynb"
    done = subprocess.run(
        [sys.executable, str(SITE / "notebooks.py"), str(output)],
        env=os.environ
        | {
            "PYTHONPATH": str(SOURCE),
            "IPYTHONDIR": str(tmp_path),
            "JUPYTER_RUNTIME_DIR": str(tmp_path),
        },
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    again = "has other outputs now: python docs/site/notebooks.py"
    for before, after in zip(cells(NOTEBOOKS.NOTEBOOK), cells(output), strict=True):
        assert before["source"] == after["source"]
        if before["cell_type"] == "code":
            stored, given = map(comparable, (before["outputs"], after["outputs"]))
            assert stored == given, f"{''.join(before['source'])} {again}"


def test_every_cell_was_executed_in_order():
    code = [c for c in cells(NOTEBOOKS.NOTEBOOK) if c["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))


def test_pictures_and_tables_have_no_scripts_and_no_addresses():
    text = NOTEBOOKS.NOTEBOOK.read_text(encoding="utf-8")
    assert "<script" not in text and "javascript:" not in text
    found = set(re.findall(r"https?://[^\s\"\\)]*", text))
    assert found <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}


def test_the_page_has_each_cell_and_its_output():
    page = NOTEBOOKS.as_markdown(NOTEBOOKS.NOTEBOOK)
    for cell in cells(NOTEBOOKS.NOTEBOOK):
        assert "".join(cell["source"]) in page
        for output in cell.get("outputs", ()):
            if output["output_type"] == "stream":
                assert "".join(output["text"]).rstrip() in page
    assert page.count("<svg") == 3 and page.count("<table>") == 3
    assert page.startswith("# First steps\n")
