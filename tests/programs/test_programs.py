"""The public programs of the manifest, whose texts stay outside, run to their end.

``TPUREF_PROGRAMS`` names a folder with the repositories, as ``OWNER/NAME/...``.
"""

import os
import textwrap
from pathlib import Path

import pytest

from maintenance.programs.manifest import COMMITS, PROGRAMS
from maintenance.programs.program import Edit, End, Program
from maintenance.programs.runner import Unavailable, run

from ..pythons import python

FOLDER = os.environ.get("TPUREF_PROGRAMS", "")


@pytest.mark.skipif(not FOLDER, reason="TPUREF_PROGRAMS names no folder of programs")
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_a_program_runs_to_its_end(program, tmp_path):
    try:
        result = run(program, FOLDER, tmp_path)
    except Unavailable as error:
        pytest.skip(str(error))
    assert result.ended, f"{result.reason}\n{result.output[-4000:]}"


def test_the_manifest():
    names = [program.name for program in PROGRAMS]
    assert len(names) == len(set(names))
    for program in PROGRAMS:
        for repository in (program.repository, *dict(program.uses)):
            assert len(COMMITS[repository]) == 40
        assert program.end.text or program.end.files or program.release == 2
        assert all(edit.reason for edit in program.edits)


# -- the runner, on a program of our own ------------------------------------------

TEXT = """\
    import sys
    import missing_module
    import tensorflow as tf

    with open(sys.argv[1]) as file:
        number = float(file.read())
    with tf.Session() as session:
        print("the sum is", session.run(tf.constant(number) + 1.0))
    open(sys.argv[2], "w").close()
"""
EDIT = Edit("a/sum.py", "import missing_module", "", "it is not used")
END = End("a sum", r"the sum is 3\.0", ("out/done",))


def program_of(**changes):
    return Program(
        "sum",
        "owner/name",
        commands=("sum.py {data}/number.txt {out}/done",),
        folder="a",
        recipe=lambda data: (data / "number.txt").write_text("2"),
        edits=(EDIT,),
        end=END,
    )._replace(**changes)


@pytest.fixture
def texts(tmp_path):
    folder = tmp_path / "texts"
    (folder / "owner/name/a").mkdir(parents=True)
    (folder / "owner/name/a/sum.py").write_text(textwrap.dedent(TEXT))
    return folder


def test_a_program_is_edited_in_a_copy_and_ends(texts, tmp_path):
    result = run(program_of(), texts, tmp_path, executor="lockstep")
    assert result.ended, result.output
    assert "import missing_module" in Path(texts, "owner/name/a/sum.py").read_text()


@pytest.mark.parametrize(
    ("changes", "reason"),
    [({"edits": ()}, "exit status 1 of sum.py"),
     ({"end": END._replace(text="the sum is 4")}, "its output has no"),
     ({"end": END._replace(files=("out/more",))}, "it wrote no out/more")],
)  # fmt: skip
def test_what_is_not_the_end(texts, tmp_path, changes, reason):
    result = run(program_of(**changes), texts, tmp_path, executor="lockstep")
    assert not result.ended
    assert reason in result.reason


@pytest.mark.parametrize(
    ("changes", "missing"),
    [({"repository": "owner/other"}, "owner/other"),
     ({"uses": (("owner/third", "third"),)}, "owner/third"),
     ({"needs": ("no_such_module",)}, "pip install no_such_module")],
)  # fmt: skip
def test_what_is_not_on_this_computer(texts, tmp_path, changes, missing):
    with pytest.raises(Unavailable, match=missing):
        run(program_of(**changes), texts, tmp_path)


def test_the_command_says_what_was_not_run(tmp_path):
    root = Path(__file__).parents[2]
    done = python("-m", "maintenance.programs", tmp_path, "tpu-mnist", cwd=root)
    said = f"tpu-mnist: not run: {tmp_path} has no tensorflow/tpu"
    assert done.stdout.strip() == said
    assert done.returncode == 0
