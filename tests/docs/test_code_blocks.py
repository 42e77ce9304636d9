"""Every code block of the documentation and of the README does what the page says.

A ``python`` block that has the line ``import tpuref as tf`` starts anew, another one
goes on from the block before.  Its title, if it has one, is the file it is saved as.  A
``text`` block below is what it prints; ``...`` stands for anything.  ``sh`` blocks with
a ``text`` block are run, others are parsed, and their ``tpuref`` options must exist.
``>>>`` lines are doctests.  Comments of a page may say what a reader does not see::

    <!-- needs: grpc -->            modules without which the blocks are not run
    <!-- first: x = 1 -->           code that runs before the next block
    <!-- parsed: why -->            the next block is not run
    <!-- pool: why -->              the page is run on processes, whatever others are
"""

import contextlib
import doctest
import functools
import importlib.util
import io
import linecache
import logging
import os
import re
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path

import pytest

import tpuref
import tpuref as tf
from tpuref.engine.runtime.system import LOCAL

from ..pythons import python

TOP = Path(__file__).resolve().parents[2]
DOCS = TOP / "docs"
SOURCE = Path(tpuref.__file__).resolve().parents[1]
PAGES = [
    "README.md",
    *sorted(
        str(page.relative_to(TOP))
        for page in DOCS.rglob("*.md")
        if page.relative_to(DOCS).parts[0] != "clauses"  # generated, without code
    ),
]
PART = re.compile(
    r"^(?P<indent> *)```(?P<language>\w+)(?P<options>[^\n]*)\n"
    r"(?P<code>.*?)^(?P=indent)```$"
    r"|^<!-- (?P<word>needs|first|parsed|pool):(?P<comment>.*?)-->$",
    re.MULTILINE | re.DOTALL,
)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
SHELLS = ("sh", "bash")


@dataclass
class Block:
    """A fenced block of a page, and the output that the page shows for it."""

    language: str
    code: str
    line: int
    file: str
    first: str = ""
    parsed: bool = False
    shown: str | None = None

    @property
    def starts_anew(self):
        return re.search("^import tpuref as tf$", self.code, re.MULTILINE) is not None


def read(text):
    """Return the modules that a page needs, and its blocks."""
    needs = []
    blocks = []
    first, parsed = "", False
    for part in PART.finditer(text):
        if part["word"] == "needs":
            needs += [name.strip() for name in part["comment"].split(",")]
        elif part["word"] == "first":
            first = textwrap.dedent(part["comment"]).strip()
        elif part["word"]:
            parsed = part["word"] == "parsed"
        elif part["language"] == "text":
            if blocks and not text[blocks[-1].line : part.start()].strip():
                blocks[-1].shown = textwrap.dedent(part["code"])
        else:
            title = re.search(r'title="([^"]+)"', part["options"])
            file = title[1] if title else "example.py"
            code = textwrap.dedent(part["code"])
            language = part["language"]
            blocks.append(Block(language, code, part.end(), file, first, parsed))
            first, parsed = "", False
    return needs, blocks


def run_python(block, names):
    """Run a block where its file lies; return what it prints or logs, and its error."""
    Path(block.file).write_text(block.code)
    linecache.clearcache()
    printed = io.StringIO()
    handler = logging.StreamHandler(printed)
    logging.getLogger("tpuref").addHandler(handler)
    try:
        with contextlib.redirect_stdout(printed):
            exec(block.first, names)
            code = compile(block.code, block.file, "exec")
            if not block.parsed:
                exec(code, names)
    except Exception as error:
        if block.shown is None:
            raise
        printed.write(f"{type(error).__name__}: {error}\n")
    finally:
        logging.getLogger("tpuref").removeHandler(handler)
    return printed.getvalue()


def environment(here):
    """Return an environment in which ``tpuref`` is the one under test."""
    command = here / "bin" / "tpuref"
    command.parent.mkdir(exist_ok=True)
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m tpuref "$@"\n')
    command.chmod(0o755)
    return os.environ | {
        "PATH": f"{command.parent}:{Path(sys.executable).parent}:{os.environ['PATH']}",
        "PYTHONPATH": str(SOURCE),
        "NO_COLOR": "1",
    }


def run_shell(block, here):
    """Run a block, or only read it where the page shows no output."""
    options = [] if block.shown is not None else ["-n"]
    done = subprocess.run(
        ["bash", *options, "-c", block.code],
        env=environment(here),
        cwd=here,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0 or block.shown is not None, done.stderr
    return done.stdout + done.stderr


@functools.cache
def help_of(command):
    """Return what ``tpuref COMMAND --help`` prints."""
    settings = {"PYTHONPATH": str(SOURCE), "NO_COLOR": "1"}
    done = python("-m", "tpuref", *command, "--help", env=settings)
    return done.stdout + done.stderr


def check_options(code):
    """Check that each option of a ``tpuref`` command is one."""
    for words in re.findall(r"(?:^|[;&] *)tpuref ([^#;&\n]*)", code, re.M):
        command = tuple(re.match(r"([a-z-]*)(?: ([a-z]+)\b(?!\.))?", words).groups(""))
        command = tuple(word for word in command if word and not word.startswith("-"))
        own = re.split(r"\S+\.py\b", words)[0]  # a script has its own options
        for option in re.findall(r"(?<!\S)--[a-z-]+", own):
            found = any(option in help_of(command[:n]) for n in range(len(command) + 1))
            assert found, f"tpuref {words.strip()}: there is no {option}"


def start_anew(names):
    """Forget what earlier blocks did."""
    names.clear()
    names["__name__"] = "__main__"
    tf.reset_default_graph()
    LOCAL.reset()


@pytest.mark.parametrize("page", PAGES)
def test_blocks_do_what_the_page_says(page, tmp_path, monkeypatch):
    text = (TOP / page).read_text()
    needs, blocks = read(text)
    for module in needs:
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"{page} needs the module {module!r}")
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "__main__"}
    checker = doctest.OutputChecker()
    executor = "pool" if "<!-- pool:" in text else tf.config.executor
    with tf.config.override(executor=executor):
        for block in blocks:
            if block.language == "python":
                if block.starts_anew:
                    start_anew(names)
                given = run_python(block, names)
            elif block.language in SHELLS:
                check_options(block.code)
                given = run_shell(block, tmp_path)
            else:
                continue
            if block.shown is not None:
                assert checker.check_output(block.shown, given, FLAGS), (
                    f"{page} shows\n{block.shown}\nbut it is\n{given}"
                )


@pytest.mark.parametrize("page", PAGES)
def test_prompts_give_what_the_page_shows(page):
    text = re.sub(r"^ *```.*$", "", (TOP / page).read_text(), flags=re.MULTILINE)
    test = doctest.DocTestParser().get_doctest(text, {}, page, page, 0)
    assert doctest.DocTestRunner(optionflags=FLAGS).run(test).failed == 0
