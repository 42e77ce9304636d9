"""Files and directories, of this computer and through fsspec in memory."""

import sys
import uuid

import pytest

import tpuref as tf
from tpuref.base import error_codes as codes

gfile = tf.gfile


@pytest.fixture(params=["here", "in memory"])
def folder(request, tmp_path):
    if request.param == "here":
        return str(tmp_path)
    pytest.importorskip("fsspec")
    path = f"memory://{uuid.uuid4().hex}"
    gfile.MakeDirs(path)
    return path


def write(path, content):
    with gfile.Open(path, "w") as file:
        file.write(content)


def test_text_and_bytes(folder):
    path = f"{folder}/notes.txt"
    write(path, "one\nzwölf\n")
    with gfile.GFile(path) as file:
        assert file.readline() == "one\n" and file.tell() == 4
        assert file.size() == 11 and list(file) == ["zwölf\n"]
        file.seek(0)
        assert file.read(3) == "one" and file.read() == "\nzwölf\n"
    with gfile.FastGFile(path, "ab") as file:
        file.write(b"\xff")
        file.flush()
    assert gfile.GFile(path, "rb").read()[-1:] == b"\xff"
    assert gfile.GFile(path, "rb").readlines()[0] == b"one\n"
    with gfile.GFile(f"{folder}/empty", "w"):
        pass
    assert gfile.Stat(f"{folder}/empty").length == 0


def test_directories(folder):
    gfile.MakeDirs(f"{folder}/a/b")
    gfile.MakeDirs(f"{folder}/a/b")
    for name in ("a/2.txt", "a/1.txt", "a/b/3.txt"):
        write(f"{folder}/{name}", name)
    assert gfile.ListDirectory(f"{folder}/a") == ["1.txt", "2.txt", "b"]
    assert [p[len(folder) :] for p in gfile.Glob(f"{folder}/a/*.txt")] == [
        "/a/1.txt", "/a/2.txt"
    ]  # fmt: skip
    both = tf.io.gfile.glob([f"{folder}/a/2*", f"{folder}/a/b/3*"])
    assert [p[-5:] for p in both] == ["2.txt", "3.txt"]
    walked = [(d[len(folder) :], *rest) for d, *rest in gfile.Walk(f"{folder}/a")]
    assert walked == [("/a", ["b"], ["1.txt", "2.txt"]), ("/a/b", [], ["3.txt"])]
    assert gfile.IsDirectory(f"{folder}/a") and not gfile.IsDirectory(
        f"{folder}/a/1.txt"
    )
    gfile.DeleteRecursively(f"{folder}/a")
    assert not gfile.Exists(f"{folder}/a")
    assert list(gfile.Walk(f"{folder}/a")) == []


def test_copies_and_renames(folder):
    write(f"{folder}/a", "1")
    write(f"{folder}/b", "2")
    for change in (gfile.Copy, gfile.Rename):
        with pytest.raises(tf.errors.AlreadyExistsError, match="overwrite=True"):
            change(f"{folder}/a", f"{folder}/b")
    gfile.Copy(f"{folder}/a", f"{folder}/b", overwrite=True)
    assert gfile.GFile(f"{folder}/b").read() == "1"
    gfile.Rename(f"{folder}/b", f"{folder}/c")
    assert gfile.ListDirectory(folder) == ["a", "c"]
    gfile.Remove(f"{folder}/a")
    assert gfile.Stat(f"{folder}/c").length == 1
    assert not gfile.Stat(f"{folder}/c").is_directory


def test_what_is_not_there(folder):
    gone = f"{folder}/gone"
    file = gfile.GFile(gone)  # opened at the first read
    for use in (
        file.read,
        lambda: gfile.Remove(gone),
        lambda: gfile.ListDirectory(gone),
        lambda: gfile.Copy(gone, f"{folder}/x"),
        lambda: gfile.Stat(gone),
        lambda: gfile.DeleteRecursively(gone),
    ):
        with pytest.raises(tf.errors.NotFoundError, match=codes.FILE_FAULT):
            use()
    assert not gfile.Exists(gone)


def test_modes():
    with pytest.raises(ValueError, match="mode must be one of r, rb, .* got 'x'"):
        gfile.GFile("a", "x")


def test_reading_what_is_written_to(tmp_path):
    denied = pytest.raises(tf.errors.PermissionDeniedError, match="another mode")
    with gfile.GFile(tmp_path / "a", "w") as file, denied:
        file.read()
    write(f"file://{tmp_path}/b", "1")
    assert (tmp_path / "b").read_text() == "1"


def test_schemes_that_nobody_knows(monkeypatch):
    pytest.importorskip("fsspec")
    with pytest.raises(tf.errors.InvalidArgumentError, match="scheme 'nosuch'"):
        gfile.Exists("nosuch://a")
    monkeypatch.setitem(sys.modules, "gcsfs", None)
    with pytest.raises(ImportError, match=r"of 'gs://bucket/a': .*install gcsfs"):
        gfile.Exists("gs://bucket/a")
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(ImportError, match=r"pip install 'tpuref\[cloud\]'"):
        gfile.Exists("gs://bucket/a")


def test_credentials_for_the_cloud():
    settings = pytest.importorskip("fsspec.config")
    tf.contrib.cloud.configure_gcs(None, credentials='{"type": "authorized_user"}')
    assert settings.conf.pop("gcs") == {"token": {"type": "authorized_user"}}
