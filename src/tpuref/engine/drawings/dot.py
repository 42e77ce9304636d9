"""A writer of Graphviz's language DOT, and a caller of its program."""

import contextlib
import re
import shutil
import subprocess
from collections.abc import Iterator
from importlib import metadata

from tpuref.base import error_codes as codes

_PATIENCE = 60.0
_DARK = """<style>
@media (prefers-color-scheme: dark) {
  .tpuref-graph .graph > polygon { fill: #161b22 }
  .tpuref-graph .cluster > [fill="white"] { fill: #161b22 }
  .tpuref-graph .cluster > text, .tpuref-graph .edge > text { fill: #e6edf3 }
  .tpuref-graph .cluster > [fill="#eeeeee"] { fill: #30363d; stroke: #8b949e }
  .tpuref-graph .edge > path { stroke: #8b949e }
  .tpuref-graph .edge > polygon { fill: #8b949e; stroke: #8b949e }
}
</style>
"""  # nodes keep their light fill and black text


class Dot:
    r"""A writer of a directed graph with a title.

    >>> sheet = Dot("two nodes")
    >>> sheet.node("a", ["first", 'said "so"'])
    >>> sheet.node("b", ["second"], fillcolor="#eeeeee")
    >>> sheet.edge("a", "b")
    >>> print(sheet.text().splitlines()[-4])
      "a" [label="first\nsaid \"so\""];
    """

    def __init__(self, title: str) -> None:
        font = 'fontname="Helvetica,Arial,sans-serif"'
        self._clusters = 0
        self._depth = 1
        self._lines = [
            f"digraph {_quote(title)} {{",
            f'  graph [{font} fontsize="12" bgcolor="white" compound="true"];',
            f'  node [{font} fontsize="11" shape="box" style="rounded,filled" '
            'fillcolor="white" height="0.3"];',
            f'  edge [{font} fontsize="10" color="#57606a"];',
        ]

    def node(self, name: str, lines: list[str], **attributes: str) -> None:
        """Write a node with lines of text."""
        label = _quote("\n".join(lines))
        self._line(f"{_quote(name)} [label={label}{_attribute_list(attributes)}];")

    def edge(self, start: str, end: str, **attributes: str) -> None:
        """Write an arrow."""
        text = _attribute_list(attributes).strip()
        self._line(f"{_quote(start)} -> {_quote(end)}{f' [{text}]' if text else ''};")

    @contextlib.contextmanager
    def cluster(self, label: str, **attributes: str) -> Iterator[str]:
        """Frame the nodes written within a ``with`` block; yield the frame's name."""
        name = f"cluster_{self._clusters}"
        self._clusters += 1
        self._line(f"subgraph {_quote(name)} {{")
        self._depth += 1
        self._line(f"graph [label={_quote(label)}{_attribute_list(attributes)}];")
        yield name
        self._depth -= 1
        self._line("}")

    def text(self) -> str:
        """Return the whole text."""
        return "\n".join([*self._lines, "}"]) + "\n"

    def _line(self, line: str) -> None:
        self._lines.append("  " * self._depth + line)


def _program() -> str:
    """Return the path of Graphviz's ``dot``, by default that of graphviz-pure.

    Its wheel puts the program beside Python's, which need not be on the PATH.
    """
    program = shutil.which("dot")
    if program is not None:
        return program
    with contextlib.suppress(metadata.PackageNotFoundError):
        for file in metadata.files("graphviz-pure") or ():
            if file.stem == "graphviz-pure":
                return str(file.locate())
    raise RuntimeError(
        "a drawing as SVG needs Graphviz, whose program dot is not on the PATH; "
        "install it (pip install graphviz-pure, or apt install graphviz), or save the "
        f"drawing as .dot and copy it to a computer that has it [{codes.NOT_INSTALLED}]"
    )


def dot_to_svg(text: str) -> str:
    """Lay out a graph in DOT with Graphviz and return its SVG element."""
    program = _program()
    try:
        done = subprocess.run(
            [program, "-Tsvg"],
            input=text,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=_PATIENCE,
            check=True,
        )
    except subprocess.TimeoutExpired:
        raise RuntimeError(
            f"Graphviz took longer than {_PATIENCE:.0f} s; draw less of the graph, "
            "with Graph.draw(fetches)"
        ) from None
    except subprocess.CalledProcessError as error:
        raise RuntimeError(f"Graphviz failed: {error.stderr.strip()}") from error
    svg = done.stdout[done.stdout.index("<svg") :]
    return readable_in_the_dark(re.sub(r"<!--.*?-->\n?", "", svg, flags=re.S))


def readable_in_the_dark(svg: str) -> str:
    """Return an SVG of Graphviz with a style for dark pages."""
    start, end, rest = svg.partition(">")
    named = start.replace("<svg", '<svg role="img" class="tpuref-graph"', 1)
    return f"{named}{end}\n{_DARK}{rest.lstrip()}"


def _attribute_list(attributes: dict[str, str]) -> str:
    return "".join(f" {name}={_quote(value)}" for name, value in attributes.items())


def _quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
