"""Small HTML tables for notebooks, without scripts or colours."""

import html
from collections.abc import Iterable, Sequence

import numpy as np

_LONGEST = 300


def table(
    caption: str, rows: Iterable[Sequence[object]], heading: Sequence[str] = ()
) -> str:
    """Return a table element in the colours of the page; cells are escaped.

    >>> print(table("1 < 2", [["a"]]))
    <table><caption>1 &lt; 2</caption>
    <tr><td style="text-align: left">a</td></tr>
    </table>
    """
    lines = [f"<table><caption>{html.escape(caption)}</caption>"]
    if heading:
        lines.append(_row("th", heading))
    lines += [_row("td", row) for row in rows]
    return "\n".join([*lines, "</table>"])


def shortened(value: object) -> str:
    """Return the ``repr`` of a value, cut to about 300 characters.

    >>> shortened(np.arange(1000))[:40]
    'array([  0,   1,   2, ..., 997, 998, 999'
    """
    with np.printoptions(threshold=30, edgeitems=3):
        text = repr(value)
    if len(text) <= _LONGEST:
        return text
    return f"{text[: _LONGEST // 2]} ... {text[-_LONGEST // 2 :]}"


def _row(tag: str, cells: Sequence[object]) -> str:
    return f"<tr>{''.join(_cell(tag, str(cell)) for cell in cells)}</tr>"


def _cell(tag: str, text: str) -> str:
    written = html.escape(text)
    if "\n" in text:  # the rows of a matrix
        written = f"<pre>{written}</pre>"
    return f'<{tag} style="text-align: left">{written}</{tag}>'
