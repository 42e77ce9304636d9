"""The files of statements, and what is refused in them."""

from collections import Counter
from pathlib import Path

import pytest
from tpuref_conformance.documents import DOCUMENTS
from tpuref_conformance.statements import Statement, read_statements, statements

PAGE = Path(__file__).resolve().parents[2] / "docs" / "conformance.md"
ENTRY = "run tf.a/b/c\n  Says.\n"


def written(directory, text, folder="documents", document=DOCUMENTS[0]):
    (directory / folder).mkdir(exist_ok=True)
    (directory / folder / document.file).write_text(text, encoding="utf-8")


def test_the_folder_is_the_source_and_the_file_the_document(tmp_path):
    written(tmp_path, ENTRY + "  ? Really?\n")
    written(tmp_path, ENTRY.replace("a/b", "d/e"), "releases", DOCUMENTS[1])
    first, second = read_statements(tmp_path).values()
    assert (first.source, first.document) == ("document", DOCUMENTS[0].file)
    assert (first.doubt, first.beyond, second.doubt) == ("Really?", False, None)
    facts = (first.api, first.part, first.tier, first.says)
    assert facts == ("tf.a", "b", "run", "Says.")
    assert (second.source, second.document) == ("release", DOCUMENTS[1].file)


@pytest.mark.parametrize(
    ("text", "versions"),
    [
        ("", ("1.15", "1.15")),
        (" 1.8-1.10", ("1.8", "1.10")),
        (" 2.4-", ("2.4", None)),
        (" 2.4", ("2.4", "2.4")),
    ],
)
def test_versions_are_those_of_the_document_or_its_own(tmp_path, text, versions):
    written(tmp_path, f"# A note.\n\nrun tf.a/b/c{text}\n  Says.\n  + More.\n")
    assert read_statements(tmp_path)["tf.a/b/c"].versions == versions
    assert read_statements(tmp_path)["tf.a/b/c"].beyond


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (ENTRY + ENTRY, "tf.a/b/c is stated twice"),
        (ENTRY.replace("c", "c late"), "versions must look like"),
        (ENTRY.replace("run", "fast"), "tier must be one of"),
        (ENTRY.replace("a/b/c", "a"), "an id must look like"),
        ("run tf.a/b/c\n", "not a statement: 'run tf.a/b/c"),
        (ENTRY + "  ? Why?\n  + So.\n", "not a statement"),
    ],
)
def test_malformed_files_are_refused(tmp_path, text, message):
    written(tmp_path, text)
    with pytest.raises(ValueError, match=message):
        read_statements(tmp_path)


def test_a_statement_has_one_place(tmp_path):
    written(tmp_path, ENTRY)
    written(tmp_path, ENTRY, "releases", DOCUMENTS[4])
    with pytest.raises(ValueError, match="tf.a/b/c is stated twice"):
        read_statements(tmp_path)


def test_a_source_is_one_of_two():
    with pytest.raises(ValueError, match="source must be in"):
        Statement("tf.a/b/c", "hearsay", "000.txt", "run", "Says.")


def test_the_page_has_their_numbers():
    page = PAGE.read_text(encoding="utf-8")
    counts = Counter(one.source for one in statements().values())
    for source, count in counts.items():
        assert f"| {source} | {count} |" in page
    assert len(counts) == 2
    assert counts["document"] == 572
