"""The catalogue of errors: its entries, its programs and former codes."""

import ast
import importlib.util
import logging
import re
from pathlib import Path

import pytest

import tpuref
from tpuref.base import error_codes
from tpuref.tools.error_catalogue import ENTRIES, find, near

SOURCE = Path(tpuref.__file__).parent
NAMES = {
    name: value
    for name, value in vars(error_codes).items()
    if isinstance(value, str) and error_codes.PATTERN.fullmatch(value)
}
WITH_PROGRAM = [entry for entry in ENTRIES if entry.program]


def require(entry):
    for module in entry.needs:
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"the program needs the module {module!r}")


def codes_in(text):
    return re.findall(error_codes.PATTERN, text)


@pytest.mark.parametrize("entry", WITH_PROGRAM, ids=lambda entry: entry.code)
def test_the_program_of_an_entry(entry, caplog, tmp_path):
    require(entry)
    code = compile(entry.program, str(tmp_path / "program.py"), "exec")
    names = {"__name__": "__main__"}
    if entry.code.startswith("TPUREF-W"):
        with caplog.at_level(logging.WARNING, logger="tpuref"):
            exec(code, names)
        assert codes_in(caplog.text) == [entry.code]
        return
    with pytest.raises(Exception, match=r"\[TPUREF-E\d+\]") as raised:
        exec(code, names)
    assert entry.code in codes_in(str(raised.value))


def test_each_code_has_one_entry():
    assert sorted(entry.code for entry in ENTRIES) == sorted(NAMES.values())
    assert len(set(NAMES.values())) == len(NAMES)


def used_names():
    """Return the names of codes that messages of the source use."""
    used = set()
    for path in SOURCE.rglob("*.py"):
        if path.parent.name == "error_catalogue":
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "codes":
                used.add(node.attr)
    return used


def test_each_code_is_in_a_message_and_each_message_has_a_known_one():
    assert used_names() - {"PATTERN", "with_code"} == set(NAMES)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.code)
def test_an_entry_says_what_to_do(entry):
    assert entry.title and not entry.title.endswith(".")
    assert entry.meaning.endswith(".") and entry.remedy.endswith((".", "?"))
    assert "import tpuref" in (entry.program or "import tpuref")
    assert entry.document is None or re.fullmatch(
        r"00\d_[0-9a-f]{16}\.txt", entry.document
    )


FORMS = ["E021", "e021", "TPUREF-E021", "[tpuref-e021]", " E021 "]
FORMER = {
    "E020": error_codes.WRONG_ARGUMENT_TYPE,
    "e251": error_codes.UNEVEN_SHARDS,
    "[TPUREF-W032]": error_codes.OUTSIDE_OF_REPLICAS,
}
"""Codes that were, and those that replaced them."""


@pytest.mark.parametrize(
    ("text", "code"),
    [*((text, error_codes.UNEVEN_SHARDS) for text in FORMS), *FORMER.items()],
)
def test_a_code_is_found_however_it_is_written(text, code):
    entry = find(text)
    assert entry is not None and entry.code == code


def test_former_codes_are_not_reassigned():
    former = [code for entry in ENTRIES for code in entry.former]
    later = {
        "TPUREF-W034",
        "TPUREF-W035",
        "TPUREF-W217",
        "TPUREF-W218",
    }  # the others are of the first 215 codes
    assert len(former) == len(set(former)) == 215 - len({*NAMES.values()} - later)
    assert not set(former) & set(NAMES.values())
    assert all(error_codes.PATTERN.fullmatch(code) for code in former)


@pytest.mark.parametrize("text", ["E999", "021", "", "sharding"])
def test_a_code_that_does_not_exist(text):
    assert find(text) is None


def test_codes_that_look_alike():
    assert "TPUREF-E021" in near("E0211")
    assert near("nonsense") == []


def test_a_message_has_one_code():
    with_code = error_codes.with_code
    assert with_code("no", error_codes.CANNOT_FEED) == "no [TPUREF-E132]"
    assert with_code("no [TPUREF-E100]", error_codes.CANNOT_FEED) == "no [TPUREF-E100]"
