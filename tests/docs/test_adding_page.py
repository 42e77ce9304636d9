"""The lists of docs/adding.md: they name what was touched, and nothing is left out."""

import re
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
MODULES = {
    path.relative_to(ROOT).as_posix(): path.read_text("utf-8")
    for suffix in ("py", "pyi", "pyx", "pxd")
    for path in (ROOT / "src").rglob(f"*.{suffix}")
}
MOST = {
    "An operation": 5,
    "An XLA rule": 2,
    "A public name": 1,
    "An optimizer of 1.x": 3,
    "An optimizer of both releases": 3,
    "A layer": 3,
    "A hook": 4,
    "A dataset transformation": 3,
    "An all-reduce algorithm": 8,
}
"""The most files of each list, without those of the list that it adds to."""


class Section(NamedTuple):
    """One list of the page: patterns of files, an example, the lists it adds to."""

    files: list[str]
    example: str | None
    added_to: list[str]


def sections():
    text = (ROOT / "docs/adding.md").read_text("utf-8")
    found = {}
    for part in re.split(r"^##+ ", text, flags=re.M)[1:]:
        title, _, body = part.partition("\n")
        items = re.findall(r"^\d\. (.*(?:\n   .*)*)", body, re.M)
        heads = [item.partition(": ")[0] for item in items]
        files = [
            path for head in heads for path in re.findall(r"`([^`]*/[^`]*)`", head)
        ]
        line = re.search(r"^Example: `(.*?)`(.*)", body, re.M)
        anchors = re.findall(r"\(#([\w-]+)\)", line[2]) if line else []
        found[title] = Section(files, line[1] if line else None, anchors)
    return found


SECTIONS = sections()
EXAMPLES = [title for title, section in SECTIONS.items() if section.example]


def matches(pattern, path):
    escaped = re.escape(pattern).replace(r"\*", "[^/]*")
    return re.fullmatch(re.sub(r"<\w+>", r"[\\w/]+", escaped), path) is not None


@pytest.mark.parametrize("title", SECTIONS)
def test_listed_files_exist(title):
    for pattern in SECTIONS[title].files:
        assert any(ROOT.glob(re.sub(r"<\w+>", "**/*", pattern))), pattern


def test_lists_with_a_limit_have_an_example():
    assert MOST.keys() <= set(EXAMPLES)
    long = {title for title, most in MOST.items() if len(SECTIONS[title].files) > most}
    assert long == set()


@pytest.mark.parametrize("title", EXAMPLES)
def test_an_example_stands_in_the_listed_files_alone(title):
    section = SECTIONS[title]
    named = {anchor_of(other): one.files for other, one in SECTIONS.items()}
    more = [path for anchor in section.added_to for path in named[anchor]]
    assert section.example is not None
    found = re.compile(section.example, re.M)
    holding = {path for path, text in MODULES.items() if found.search(text)}
    for pattern in section.files:
        if pattern.startswith("src/"):
            assert any(matches(pattern, path) for path in holding), pattern
    listed = [*section.files, *more, *OPTIONAL.get(title, ())]
    assert {p for p in holding if not any(matches(each, p) for each in listed)} == set()


OPTIONAL = {
    "An all-reduce algorithm": ["src/tpuref/tools/benchmarks/all_reduce.py"],
    # What Keras 2 has under these names, for programs that are ported.
    "An optimizer of both releases": ["src/tpuref/tools/porting/keras_2.py"],
}
"""What the page names behind a list."""


def anchor_of(title):
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")
