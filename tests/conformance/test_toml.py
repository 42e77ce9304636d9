"""The reader reads what the standard library's does, as far as it goes."""

from pathlib import Path

import pytest
from tpuref_conformance import known
from tpuref_conformance.toml import read_tables

FILES = sorted(Path(known.DIRECTORY).glob("*.toml"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_reads_as_the_standard_library(path):
    tomllib = pytest.importorskip("tomllib", reason="tomllib came with Python 3.11")
    assert read_tables(path) == tomllib.loads(path.read_text(encoding="utf-8"))


def test_quotes_and_other_letters_are_read(tmp_path):
    path = tmp_path / "file.toml"
    path.write_text('# note\n["a \\"b\\""]\ntext = "\\\\ ünï\\n"\n', encoding="utf-8")
    assert read_tables(path) == {'a "b"': {"text": "\\ ünï\n"}}
