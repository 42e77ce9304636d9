"""Execute docs/notebooks/*.ipynb: ``python docs/site/notebooks.py [OUTPUT]``.

The site shows a notebook as a page, with the outputs that are stored in it.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

NOTEBOOK = Path(__file__).resolve().parents[1] / "notebooks" / "first_steps.ipynb"


def execute(notebook: Path, output: Path) -> None:
    """Run all cells in a kernel, and write the notebook with their outputs."""
    import nbformat
    from nbclient import NotebookClient

    opened = nbformat.read(notebook, as_version=4)
    client = NotebookClient(opened, kernel_name="python3", timeout=300)
    client.execute(cwd=str(notebook.parent))
    for cell in opened.cells:
        cell.metadata = {}  # when it ran
    opened.metadata = {
        "kernelspec": {
            "display_name": "Python 3",
            "language": "python",
            "name": "python3",
        },
        "language_info": {"name": "python"},
    }
    nbformat.write(opened, output)


def as_markdown(notebook: Path) -> str:
    """Return a notebook as a page of the site."""
    parts = [
        page
        for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]
        for page in cell_pages(cell)
    ]
    name = notebook.name
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


if __name__ == "__main__":
    execute(NOTEBOOK, Path(sys.argv[1]) if sys.argv[1:] else NOTEBOOK)
