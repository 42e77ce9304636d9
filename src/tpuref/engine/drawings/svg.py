"""SVG pictures that are readable on white and on dark pages."""

from typing import NamedTuple
from xml.etree.ElementTree import Element, SubElement, tostring

FONT_SIZE = 12
CHARACTER = 7.3
"""The assumed width of a character of that size."""

# A page may be white or dark, so a picture draws its own background, and changes the
# background and its lines together. If a page strips styles, the attributes of the
# elements apply, for a white background.
_STYLE = """
.tpuref-picture .paper { fill: #ffffff; stroke: #d0d7de }
.tpuref-picture .ink { fill: #1f2328 }
.tpuref-picture .line { stroke: #57606a }
@media (prefers-color-scheme: dark) {
  .tpuref-picture .paper { fill: #161b22; stroke: #30363d }
  .tpuref-picture .ink { fill: #e6edf3 }
  .tpuref-picture .line { stroke: #8b949e }
}
"""


class Colour(NamedTuple):
    """A fill, and the colour of text on it."""

    fill: str
    text: str


# The colours of Okabe and Ito, distinguishable with any kind of colour vision.
COLOURS = (
    Colour("#e69f00", "#000000"),
    Colour("#56b4e9", "#000000"),
    Colour("#009e73", "#000000"),
    Colour("#f0e442", "#000000"),
    Colour("#0072b2", "#ffffff"),
    Colour("#d55e00", "#000000"),
    Colour("#cc79a7", "#000000"),
    Colour("#bbbbbb", "#000000"),
)


def colour_of(number: int) -> Colour:
    """Return the colour of a replica or host; the colours repeat."""
    return COLOURS[number % len(COLOURS)]


class Picture:
    """A writer of an SVG document.

    The title is also a tooltip; the description is for screen readers.

    >>> picture = Picture("a square", "one square in blue")
    >>> picture.rectangle(4, 4, 10, 10, fill="#0072b2")
    >>> picture.text(4, 30, "4 < 5")
    >>> svg = picture.svg(40, 40)
    >>> "4 &lt; 5" in svg, svg.startswith("<svg xmlns=")
    (True, True)
    """

    def __init__(self, title: str, description: str) -> None:
        self._root = Element(
            "svg",
            {
                "xmlns": "http://www.w3.org/2000/svg",
                "class": "tpuref-picture",
                "role": "img",
                "font-family": "ui-monospace, Menlo, Consolas, monospace",
                "font-size": str(FONT_SIZE),
            },
        )
        SubElement(self._root, "title").text = title
        SubElement(self._root, "desc").text = description
        SubElement(self._root, "style").text = _STYLE
        self._paper = SubElement(self._root, "rect", {"class": "paper", "rx": "6"})

    def text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        anchor: str = "start",
        fill: str | None = None,
        size: int = FONT_SIZE,
    ) -> None:
        """Write a line of text with its baseline at `y`, by default black."""
        attributes = {"x": _number(x), "y": _number(y)}
        if fill is None:
            attributes |= {"class": "ink", "fill": "#1f2328"}
        else:
            attributes["fill"] = fill
        if anchor != "start":
            attributes["text-anchor"] = anchor
        if size != FONT_SIZE:
            attributes["font-size"] = str(size)
        SubElement(self._root, "text", attributes).text = text

    def rectangle(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        *,
        fill: str | None = None,
        dashed: bool = False,
        note: str = "",
    ) -> None:
        """Draw a rectangle; without a fill it is an outline, dashed or not.

        The note is its tooltip.
        """
        attributes = {"x": _number(x), "y": _number(y), "rx": "3"}
        attributes |= {"width": _number(width), "height": _number(height)}
        if fill is None:
            attributes |= {"class": "line", "fill": "none", "stroke": "#57606a"}
        else:
            attributes["fill"] = fill
        if dashed:
            attributes["stroke-dasharray"] = "2 3"
        drawn = SubElement(self._root, "rect", attributes)
        if note:
            SubElement(drawn, "title").text = note

    def lines(self, path: str) -> None:
        """Draw thick lines along a path."""
        attributes = {"class": "line", "fill": "none", "stroke": "#57606a"}
        attributes |= {"stroke-width": "2", "stroke-linecap": "square", "d": path}
        SubElement(self._root, "path", attributes)

    def svg(self, width: float, height: float) -> str:
        """Return the document at its size."""
        size = {"width": _number(width), "height": _number(height)}
        for name, value in size.items():
            self._root.set(name, value)
            self._paper.set(name, value)
        self._root.set("viewBox", f"0 0 {size['width']} {size['height']}")
        self._paper.set("fill", "#ffffff")
        self._root.text = "\n"
        for part in self._root:
            part.tail = "\n"  # the note of a rectangle stays on its line
        return tostring(self._root, encoding="unicode") + "\n"


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
