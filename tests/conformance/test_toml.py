"""The reader reads what the standard library's does, as far as it goes."""

from __future__ import annotations

from pathlib import Path

import pytest
from tpuref_conformance import known, statements
from tpuref_conformance.toml import quoted, read_tables

DIRECTORIES = {known.DIRECTORY: "deviation", statements.DIRECTORY: "statement"}


def files():
    for directory, name in DIRECTORIES.items():
        for path in sorted(Path(directory).glob("*.toml")):
            yield pytest.param(path, name, id=path.name)


@pytest.mark.parametrize(("path", "name"), list(files()))
def test_reads_as_the_standard_library(path, name):
    tomllib = pytest.importorskip("tomllib", reason="tomllib came with Python 3.11")
    assert read_tables(path, name) == tomllib.loads(path.read_text())[name]


def test_text_is_quoted_and_read_back(tmp_path):
    text = 'a "quoted" \\ line\nand ünïcode'
    path = tmp_path / "file.toml"
    path.write_text(f"[[entry]]\ntext = {quoted(text)}\n", encoding="utf-8")
    assert read_tables(path, "entry") == [{"text": text}]
