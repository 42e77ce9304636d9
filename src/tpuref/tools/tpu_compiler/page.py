"""The report as a page: memory as bars, and the tiles of padded arrays as pictures."""

from collections.abc import Iterator, Sequence
from html import escape
from typing import Any

from tpuref.engine.drawings.svg import COLOURS, Picture
from tpuref.tools.tpu_compiler.text import as_text, heading, size, verdict

WIDTH = 336
"""The width of a picture, which a telephone shows whole."""

_PARTS = {"weights": 4, "slots": 1, "inputs": 0, "outputs": 2, "temporaries": 6}
"""The parts of a core's memory, and the numbers of their colours."""

_MOST_TILES = 200
"""The largest number of tiles that are drawn one by one."""

_STYLE = """
:root { color-scheme: light dark }
body { font: 15px/1.45 system-ui, sans-serif; margin: 0 auto; padding: 12px;
       max-width: 900px; background: #ffffff; color: #1f2328 }
h2 { font-size: 17px; overflow-wrap: anywhere; margin: 28px 0 4px }
p, figcaption, li { overflow-wrap: anywhere; margin: 4px 0 }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font-size: 12px }
pre.table { white-space: pre; overflow-x: auto }
svg { max-width: 100%; height: auto; display: block }
figure { margin: 12px 0; display: inline-block; max-width: 100%; vertical-align: top }
figcaption { font-size: 13px; max-width: 336px }
ul { list-style: none; padding: 0; margin: 6px 0; font-size: 13px }
li { display: inline-block; margin-right: 14px }
i { display: inline-block; width: 11px; height: 11px; border-radius: 3px;
    margin-right: 5px }
.good { color: #116329 } .bad { color: #a40e26 } .open { color: #7d4e00 }
@media (prefers-color-scheme: dark) {
  body { background: #0d1117; color: #e6edf3 }
  .good { color: #56d364 } .bad { color: #ff7b72 } .open { color: #e3b341 }
}
"""


def as_page(reports: Sequence[dict[str, Any]], table: str | None) -> str:
    """Return a page of reports; a sweep has several, and a table."""
    body = [f'<pre class="table">{escape(table)}</pre>'] if table else []
    for report in reports:
        if table:
            body.append(f"<h1>{escape(str(report['value']))}</h1>")
        for target in report["targets"]:
            for program in target["programs"]:
                body += _section(target, program)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>tpuref compile</title><style>{_STYLE}</style></head><body>\n"
        + "\n".join(body)
        + "\n</body></html>\n"
    )


def _section(target: dict[str, Any], program: dict[str, Any]) -> Iterator[str]:
    said = verdict(program)
    kind = {"compiles and fits": "good", "not judged": "open"}.get(said, "bad")
    name = escape(heading(target, program).removesuffix(said))
    yield f'<h2>{name}<span class="{kind}">{said}</span></h2>'
    yield f"<p>built at {escape(program['site'])}</p>"
    if program["message"]:
        where = program["message_site"]
        yield f"<pre>{escape(program['message'])}</pre>"
        yield f"<p>at {escape(where)}</p>" if where else ""
    if program["hbm"]["peak"]:
        yield _memory(program["hbm"])
    yield from map(_tiles, program["padding"][:4])
    whole = as_text({"targets": [{**target, "programs": [program]}]})
    yield f"<details><summary>all figures</summary><pre>{escape(whole)}</pre></details>"


def _memory(hbm: dict[str, Any]) -> str:
    """Return bars of a core's memory: its capacity, and the parts of the peak."""
    peak, capacity = hbm["peak"], hbm["capacity"]
    parts = {name: hbm.get(name) or 0 for name in _PARTS}
    parts["outputs"] -= hbm.get("shared") or 0
    share = f"{size(peak)} of {size(capacity)} ({peak / capacity:.1%})"
    picture = Picture("memory of a core", share)
    scale = (WIDTH - 16) / max(peak, capacity)
    picture.text(8, 20, share)
    picture.rectangle(8, 28, max(2, peak * scale), 18, fill=COLOURS[5].fill)
    picture.rectangle(8, 28, capacity * scale, 18, note="capacity")
    picture.text(8, 66, f"these {size(peak)}")
    x = 8.0
    for name, count in parts.items():
        width = count * (WIDTH - 16) / peak
        fill, note = COLOURS[_PARTS[name]].fill, f"{name} {size(count)}"
        picture.rectangle(x, 74, width, 18, fill=fill, note=note)
        x += width
    legend = (
        f'<li><i style="background:{COLOURS[_PARTS[name]].fill}"></i>'
        f"{name} {size(count)}</li>"
        for name, count in parts.items()
        if count
    )
    return f"<figure>{picture.svg(WIDTH, 100)}<ul>{''.join(legend)}</ul></figure>"


def _tiles(array: dict[str, Any]) -> str:
    """Return a picture of an array's tiles, filled as far as it has elements."""
    ratio = array["bytes"] / array["own_bytes"]
    title = f"{array['shape']}: {size(array['own_bytes'])} take {size(array['bytes'])}"
    sizes, padded = array["sizes"], array["padded"]
    (column, wide), *rest = array["tiles"]
    row, high = rest[0] if rest else (None, 1)
    rows, columns = padded[row] if row is not None else 1, padded[column]
    height = min(120.0, max(18.0, WIDTH * rows / columns))
    across, down = (WIDTH - 16) / columns, height / rows
    picture = Picture(title, f"{ratio:.3g} times its bytes")
    filled = sizes[row] if row is not None else 1
    picture.rectangle(
        *(8, 8, sizes[column] * across, filled * down), fill=COLOURS[4].fill
    )
    if rows * columns <= _MOST_TILES * wide * high:
        for x in range(0, columns, wide):
            for y in range(0, rows, high):
                place = 8 + x * across, 8 + y * down
                picture.rectangle(*place, wide * across, high * down)
    else:
        picture.rectangle(8, 8, columns * across, rows * down)
    caption = f"{title}, {ratio:.3g} times; tiles of {high} by {wide}: "
    caption += f"{array['advice']}. {array['op']} {array['site']}"
    drawn = picture.svg(WIDTH, height + 16)
    return f"<figure>{drawn}<figcaption>{escape(caption)}</figcaption></figure>"
