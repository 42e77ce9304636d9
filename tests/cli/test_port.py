"""tpuref port: what is listed, what is written, and the exit status."""

import json
from pathlib import Path

import pytest

from tpuref.tools.cli import main


def write(folder, files):
    """Write texts to paths in a folder."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)


PROGRAM = """
import tensorflow as tf
from tensorflow import saved_model

tf.image.draw_bounding_boxes(tf.zeros)
tf.dimension_value(1, 1)
tf.tpu.shrad
tf.image.draw_bounding_boxes()
"""


def test_the_names_of_a_program(script, capsys):
    path = script(PROGRAM)
    assert main(["port", path]) == 1
    assert capsys.readouterr().out.splitlines() == [
        path,
        "  written for TensorFlow 1 (tf.dimension_value)",
        "  Save the variables with tf.train.Saver, and build the graph again to "
        "restore",
        "    them.",
        "      tf.saved_model: 3",
        "  Prepare images with Pillow or NumPy, before tf.data.Dataset.from_generator "
        "or",
        "    in tf.py_func.",
        "      tf.image.draw_bounding_boxes: 5, 8",
        "  Use tf.compat.dimension_value, which is the same.",
        "      tf.dimension_value: 6",
        "  Did you mean tf.tpu.shard?",
        "      tf.tpu.shrad: 7",
        "  tpuref has tf.zeros",
        "",
        "1 file, 5 names taken from tf: tpuref has 1 and lacks 4.",
    ]
    assert Path(path).read_text() == PROGRAM


def test_a_program_with_all_its_names(script, capsys):
    assert main(["port", script("import tensorflow as tf\ntf.zeros([2])\n")]) == 0
    out = capsys.readouterr().out
    assert out.endswith("1 file, 1 name taken from tf: tpuref has 1 and lacks 0.\n")


def test_json(script, capsys):
    path = script(PROGRAM)
    assert main(["port", "--json", path]) == 1
    found = json.loads(capsys.readouterr().out)
    (program,) = found["files"]
    assert program["file"] == path and program["parsed"] and "changed" not in program
    by_name = {name["name"]: name for name in program["names"]}
    assert by_name["tf.zeros"] == {
        "name": "tf.zeros", "there": True, "places": [{"cell": None, "line": 5}],
    }  # fmt: skip
    boxes = by_name["tf.image.draw_bounding_boxes"]
    assert boxes["places"] == [{"cell": None, "line": 5}, {"cell": None, "line": 8}]
    assert boxes["origin"].startswith("in TensorFlow 1.8 to 2.21")
    assert boxes["advice"].startswith("Prepare")
    assert found["summary"] == {
        "files": 1, "complete": 0, "names": 5, "there": 1, "missing": 4,
        "lacking": [["tf.saved_model", 1], ["tf.image.draw_bounding_boxes", 1],
                    ["tf.dimension_value", 1], ["tf.tpu.shrad", 1]],
    }  # fmt: skip


def test_a_folder(tmp_path, capsys):
    files = {
        "a.py": "import tensorflow as tf\ntf.saved_model.save, tf.zeros",
        "b.py": "import tensorflow as tf\ntf.saved_model.save, tf.ones",
        "c.py": "print('no tf')",
    }
    write(tmp_path, files)
    assert main(["port", str(tmp_path), str(tmp_path / "a.py")]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[-2:] == [
        "3 files, 3 names taken from tf: tpuref has 2 and lacks 1. It has all names of "
        "1 file.",
        "     2 files lack tf.saved_model.save",
    ]
    assert str(tmp_path / "c.py") not in lines


def test_many_places_are_shortened(script, capsys):
    main(["port", script("import tensorflow as tf\n" + "tf.saved_model\n" * 14)])
    out = capsys.readouterr().out
    assert "tf.saved_model: 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 4 more" in out


def test_write(script, capsys):
    path = script("import tensorflow as tf  # here\ntf.zeros([2])\n")
    assert main(["port", "--write", path]) == 0
    assert Path(path).read_text() == "import tpuref as tf  # here\ntf.zeros([2])\n"
    assert capsys.readouterr().out.splitlines()[:3] == [
        f"{path}:1",
        "  - import tensorflow as tf  # here",
        "  + import tpuref as tf  # here",
    ]
    assert main(["port", "--write", path]) == 0
    assert " - " not in capsys.readouterr().out


def test_write_says_what_stays(script, capsys):
    path = script(PROGRAM)
    assert main(["port", "--write", path]) == 1
    out = capsys.readouterr().out
    assert f"{path}:3 stays as it is\n      tpuref has no tf.saved_model" in out
    written = PROGRAM.replace("import tensorflow as", "import tpuref as")
    assert Path(path).read_text() == written


def test_write_as_json(script, capsys):
    assert main(["port", "--write", "--json", script(PROGRAM)]) == 1
    (program,) = json.loads(capsys.readouterr().out)["files"]
    assert program["changed"] == [
        {"cell": None, "line": 2, "before": "import tensorflow as tf",
         "after": "import tpuref as tf"},
    ]  # fmt: skip
    (refused,) = program["refused"]
    assert refused["line"] == 3 and refused["reason"].startswith("tpuref has no tf.sav")


def test_what_is_not_there(tmp_path, capsys):
    assert main(["port", str(tmp_path / "no.py")]) == 2
    captured = capsys.readouterr()
    assert captured.err.startswith(f"tpuref port: cannot read {tmp_path}/no.py: ")
    assert main(["port", str(tmp_path)]) == 2
    message = f"tpuref port: there are no scripts or notebooks in {tmp_path}\n"
    assert capsys.readouterr().err == message


def test_the_others_are_listed_all_the_same(tmp_path, capsys):
    (tmp_path / "a.ipynb").write_text("not a notebook")
    (tmp_path / "b.py").write_text("import tensorflow as tf\ntf.zeros")
    assert main(["port", str(tmp_path)]) == 2
    captured = capsys.readouterr()
    assert "cannot read" in captured.err and "tpuref has tf.zeros" in captured.out


@pytest.mark.parametrize("arguments", [["port"], ["port", "--no", "a.py"]])
def test_what_is_not_understood(arguments, capsys):
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2 and "usage: tpuref" in capsys.readouterr().err


# -- imports ----------------------------------------------------------------------

TRAIN = """
import absent_package
import model
from layers import dense
try:
    import optional_package
except ImportError:
    pass

if __name__ == "__main__":
    model.build()
"""


@pytest.fixture
def repository(tmp_path):
    (tmp_path / ".git").mkdir()
    files = {
        "scripts/train.py": TRAIN,
        "scripts/model.py": "import tensorflow as tf\ntf.tpu.shrad\n",
        "layers/__init__.py": "",
        "layers/dense.py": "from . import sparse\nfrom .. import gone\n",
        "layers/sparse.py": "import tensorflow as tf\ntf.zeros\ntf.tpu.shrd\n",
        "scripts/other.py": "import tensorflow as tf\nprint tf.zeros\ntf.app.run()\n",
    }
    write(tmp_path, files)
    return tmp_path


def test_imports_are_followed(repository, capsys):
    assert main(["port", str(repository / "scripts/train.py")]) == 1
    words = " ".join(capsys.readouterr().out.split())
    assert "pip install absent-package: absent_package is not installed" in words
    assert "train.py imports it in line 2" in words
    assert f"{repository}/scripts/model.py lacks tf.tpu.shrad in line 2" in words
    assert f"{repository}/layers/sparse.py lacks tf.tpu.shrd in line 3" in words
    assert "optional_package" not in words


def test_imports_in_json(repository, capsys):
    assert main(["port", "--json", str(repository / "scripts/train.py")]) == 1
    (found,) = json.loads(capsys.readouterr().out)["imports"]
    files = [Path(module["file"]).name for module in found["modules"]]
    assert files == ["model.py", "__init__.py", "dense.py", "sparse.py"]
    assert found["packages"] == {"absent_package": "absent-package"}
    assert found["stops"]


def test_the_table_of_a_repository(repository, capsys):
    (repository / "scripts/train.py").write_text(
        f"import tensorflow as tf\ntf.ones{TRAIN}"
    )
    assert main(["port", str(repository)]) == 1
    out = capsys.readouterr().out
    assert f"    0          0    0  {repository}/scripts/other.py" in out
    assert f"    0          2    1  {repository}/scripts/train.py" in out
    assert "1 of 2 scripts find all they need." in out


def test_packages_of_a_repository_without_marks(tmp_path, capsys):
    files = {
        "models/__init__.py": "",
        "models/layers/__init__.py": "import tensorflow as tf\ntf.tpu.shrd",
        "models/train.py": "from models import layers\nfrom .layers import dense\n"
        "from google.cloud import absent_one\nimport google.protobuf\n",
    }
    write(tmp_path, files)
    assert main(["port", str(tmp_path / "models/train.py")]) == 1
    out = " ".join(capsys.readouterr().out.split())
    assert "lacks tf.tpu.shrd in line 2" in out and out.count("pip install") == 1
    assert "pip install google-cloud-absent-one" in out and "in line 3" in out


def test_shell_lines_of_a_notebook(tmp_path, capsys):
    cells = ["!pip install six\nimport tensorflow as tf", "files = !ls\ntf.zeros"]
    cells.append("%%bash\nls")
    notebook = {"cells": [{"cell_type": "code", "source": text} for text in cells]}
    path = tmp_path / "demo.ipynb"
    path.write_text(json.dumps(notebook))
    assert main(["port", str(path)]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "cell 1 line 1, cell 2 line 1, cell 3 line 1" in out
