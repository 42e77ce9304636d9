"""The notebook of the documentation, executed; the site shows it as a page."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

NOTEBOOK = Path(__file__).resolve().parents[1] / "notebooks" / "first_steps.ipynb"


def executed(notebook: Path) -> str:
    """Return a notebook with the outputs of its cells, which run in a kernel."""
    import nbformat
    from nbclient import NotebookClient

    opened = nbformat.read(notebook, as_version=4)
    client = NotebookClient(opened, kernel_name="python3", timeout=300)
    client.execute(cwd=str(notebook.parent))
    for cell in opened.cells:
        cell.metadata = {}  # when it ran
    return nbformat.writes(opened) + "\n"


def as_markdown(notebook: str, name: str) -> str:
    """Return a notebook as a page of the site, with a link to the notebook."""
    parts = [
        page for cell in json.loads(notebook)["cells"] for page in cell_pages(cell)
    ]
    parts.append(f"[Download this page as a notebook]({name})")
    return "\n\n".join(parts) + "\n"


def cell_pages(cell: dict[str, Any]) -> list[str]:
    """Return a cell and its outputs."""
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        return [source]
    return [f"```python\n{source}\n```", *map(output_page, cell["outputs"])]


def output_page(output: dict[str, Any]) -> str:
    """Return an output as HTML if it has any, otherwise as text."""
    if output["output_type"] == "stream":
        return f"```text\n{''.join(output['text']).rstrip()}\n```"
    data = output["data"]
    if "text/html" not in data:
        return f"```text\n{''.join(data['text/plain'])}\n```"
    html = re.sub(r">\s+<", "><", "".join(data["text/html"]))
    return f"<div class='output'>{html.strip()}</div>"
