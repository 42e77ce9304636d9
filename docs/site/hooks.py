"""The generated parts of the site: clauses, members, differences, changes, error codes.

A page says where, with ``<!-- members: tf.nn -->``, ``<!-- differences -->``,
``<!-- unreleased -->`` and ``<!-- error codes -->``.
"""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files
from tpuref_conformance.documents import DOCUMENTS
from tpuref_conformance.known import Known
from tpuref_conformance.suite import load_clauses

import tpuref as tf
from tpuref.tools.error_catalogue import AREAS
from tpuref.tools.error_catalogue.entry import Entry

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP))

from maintenance.pages import pages  # noqa: E402

OUTSIDE = re.compile(r"\[([^\]]+)\]\((?:\.\./)+(?:src|conformance|examples)/[^)]*\)")
DOCUMENT = re.compile("|".join(re.escape(one.file) for one in DOCUMENTS))
MEMBERS = re.compile(r"^<!-- members: tf((?:\.\w+)*) -->$", re.MULTILINE)


def on_config(config: Any) -> Any:
    """Show the version, and link the repository that this one was cloned from."""
    config.site_name = f"{config.site_name} {tf.__version__}"
    origin = ["git", "-C", str(TOP), "remote", "get-url", "origin"]
    done = subprocess.run(origin, capture_output=True, text=True, check=False)
    config.repo_url = web_address(done.stdout.strip())
    config.repo_name = "Repository"
    return config


def web_address(remote: str) -> str | None:
    """Return the page of a remote repository, None for a folder or none."""
    remote = remote.removesuffix(".git")
    if found := re.fullmatch(r"https?://(?:[^/]*@)?(.+)", remote):
        return f"https://{found[1]}"
    if found := re.fullmatch(r"git@([^:]+):(.+)", remote):
        return f"https://{found[1]}/{found[2]}"
    return None


def on_files(files: Files, config: Any) -> None:
    """Add the clauses."""
    for name, content in pages(load_clauses()).items():
        files.append(File.generated(config, f"clauses/{name}", content=content))


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Turn links into the repository into names, and insert what a page asks for."""
    text = OUTSIDE.sub(r"\1", markdown)
    text = MEMBERS.sub(lambda found: members(found[1]), text)
    if "<!-- differences -->" in text:
        text = text.replace("<!-- differences -->", differences())
    if "<!-- unreleased -->" in text:
        text = text.replace("<!-- unreleased -->", unreleased())
    text = continued(text)  # not the programs of error codes, which are whole
    if "<!-- error codes -->" in text:
        text = text.replace("<!-- error codes -->", error_codes())
    return text


def on_page_content(html: str, **_: Any) -> str:
    """Call a document by the title of its page instead of by its file."""
    return DOCUMENT.sub(lambda found: titles()[found[0]], html)


def titles() -> dict[str, str]:
    """Return what each document is called on the site."""
    return {one.file: one.name for one in DOCUMENTS}


def continued(text: str) -> str:
    """Say of each block of code that needs an earlier one that it does."""
    parts = re.split(r"^(?=[ ]*```python\b)", text, flags=re.MULTILINE)
    started = False
    for index, part in enumerate(parts[1:], 1):
        indent, _, code = part.partition("```python")
        if "import tpuref" in code.partition("```")[0]:
            started = True
        elif started and not parts[index - 1].rstrip().endswith("-->"):
            parts[index] = f"{indent}<small>Continues from above.</small>\n\n{part}"
    return "".join(parts)


def unreleased() -> str:
    """Return the changes since the last release, as towncrier would write them."""
    parts = []
    for kind in ("added", "changed", "fixed", "removed"):
        notes = sorted((TOP / "changes").glob(f"*.{kind}.md"))
        if notes:
            texts = [f"- {note.read_text().strip()}" for note in notes]
            parts += [f"### {kind.title()}", "", *texts, ""]
    return "\n".join(["## The next release", "", *parts] if parts else parts)


def members(path: str) -> str:
    """Return the reference of a namespace, without members documented elsewhere."""
    namespace: Any = tf
    for name in path.split(".")[1:]:
        namespace = getattr(namespace, name)
    blocks = []
    names = getattr(namespace, "__all__", dir(namespace))
    for name in sorted(names, key=str.lower):
        value = getattr(namespace, name)
        if not is_documented(name, value) or is_elsewhere(path, name, value):
            continue
        blocks.append(
            f"::: {value.__module__}.{value.__qualname__}\n"
            f"    options:\n      heading: tf{path}.{name}\n"
        )
    return "\n".join(blocks)


def is_documented(name: str, value: Any) -> bool:
    """Return whether a name is a public function or class of tpuref."""
    public = not name.startswith("_") and not name.endswith("_dyn")
    own = getattr(value, "__module__", "").startswith("tpuref.")
    code = inspect.isfunction(value) or inspect.isclass(value)
    return public and own and code and bool(value.__doc__)


def is_elsewhere(path: str, name: str, value: Any) -> bool:
    """Return whether a member is documented under a shorter or a documented name."""
    other = name != value.__name__ and getattr(tf, value.__name__, None) is value
    below = [tf] if path else []
    if path == ".contrib.tpu":
        below += [tf.tpu, tf.tpu.experimental]
    return other or any(getattr(place, name, None) is value for place in below)


def differences() -> str:
    """Return the recorded differences of all subjects as tables."""
    parts = []
    for file in sorted((TOP / "conformance" / "known").glob("*.toml")):
        subject = file.stem
        if "." not in subject.partition("-")[2] and subject.startswith("tensorflow-"):
            continue  # what several releases share, which stands with each of them
        parts += [f"## {subject}", "", "| statement | what is seen | evidence |"]
        parts += ["| --- | --- | --- |", *map(row, Known().of(subject).values()), ""]
    return "\n".join(parts)


def row(deviation: Any) -> str:
    """Return one difference as a row of a table."""
    cells = f"`{deviation.clause}`", cell(deviation.observed), cell(deviation.evidence)
    return f"| {' | '.join(cells)} |"


def cell(text: str) -> str:
    """Escape text for a cell of a table."""
    for sign in "\\|*_<[`":
        text = text.replace(sign, "\\" + sign)
    return " ".join(text.split())


def error_codes() -> str:
    """Return the catalogue of errors, with a heading for each code."""
    parts = []
    for area, entries in AREAS:
        parts.append(f"## {area}")
        parts += [entry_of_page(entry) for entry in entries]
    return "\n\n".join(parts)


def entry_of_page(entry: Entry) -> str:
    """Return the entry of one code on the page."""
    source = f"\n\nThe rule is in `{entry.document}`." if entry.document else ""
    numbers = [code.removeprefix("TPUREF-") for code in (entry.code, *entry.former)]
    anchors = "".join(f'<a id="{number}"></a>' for number in numbers)
    former = f"\n\nIt replaces {', '.join(numbers[1:])}." if entry.former else ""
    program = f"\n\n```python\n{entry.program}```" if entry.program else ""
    return (
        f"{anchors}\n\n### {entry.code}: {entry.title}\n\n"
        f"{entry.meaning}\n\n{entry.remedy}{source}{former}{program}"
    )
