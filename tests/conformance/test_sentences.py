"""Sentences of the documents: each is a statement's, or cannot be tested."""

import pytest
from tpuref_conformance import command, main, sentences
from tpuref_conformance.documents import DOCUMENTS, Document
from tpuref_conformance.statements import Statement

DOCUMENT = Document("900.txt", "tf.double", "1.0", ("1.0", "1.0"))
TEXT = (
    "double\n\nDoubles a number. It never fails!  See above.\n---\nReturns a number.\n"
)
STATED = {
    id: Statement(id, "document", "900.txt", "build", "Doubles.")
    for id in ("tf.double/name/exists", "tf.double/returns/twice")
}


@pytest.fixture
def recorded(tmp_path, monkeypatch):
    """Return the function that records entries, and gives the document's path."""
    (tmp_path / "document.txt").write_text(TEXT)
    monkeypatch.setattr(sentences.read_entries, "__defaults__", (str(tmp_path),))

    def record(*lines):
        (tmp_path / "900.txt").write_text("\n".join(lines) + "\n")
        return str(tmp_path / "document.txt")

    return record


def test_sentences_are_numbered_by_line(recorded):
    assert sentences.sentences(recorded()) == [(1, 1), (3, 1), (3, 2), (3, 3), (5, 1)]


def test_a_sentence_without_a_statement_is_found(recorded):
    entries = ["tf.double/name/*: 1.1", "tf.double/returns/twice: 3.1-3.2"]
    path = recorded(*entries, "- says it again: 5.1")
    assert sentences.unstated(DOCUMENT, path) == ["900.txt: sentence 3.3"]
    path = recorded(*entries, "- says it again: 3.3-5.1")
    assert sentences.unstated(DOCUMENT, path) == []
    assert sentences.stray_entries(DOCUMENT, STATED) == []


def test_an_entry_about_no_statement_is_found(recorded):
    recorded("tf.double/name/*: 1.1", "tf.double/raises/*: 3.1-5.1")
    (stray,) = sentences.stray_entries(DOCUMENT, STATED)
    assert "sentence 3.1: no statement is called tf.double/raises/*" in stray


def test_a_line_that_is_no_entry_is_refused(recorded):
    path = recorded("all of them")
    with pytest.raises(ValueError, match="expected 'tf.name/part"):
        sentences.unstated(DOCUMENT, path)


def test_the_command_reads_the_documents(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(command, "load_checks", dict)
    assert main(["coverage", "--documents", str(tmp_path)]) == 2
    assert DOCUMENTS[0].file in capsys.readouterr().err
    for document in DOCUMENTS:
        (tmp_path / document.file).write_text("\n" * 5000 + "Added later.\n")
    assert main(["coverage", "--documents", str(tmp_path)]) == 1
    printed = capsys.readouterr().out
    assert "sentences without a statement: 5" in printed
    assert f"{DOCUMENTS[0].file}: sentence 5001.1" in printed
