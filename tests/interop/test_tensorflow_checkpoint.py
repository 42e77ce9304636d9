"""The script of the documentation converts checkpoints of TensorFlow."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import tpuref as tf

PYTHON = os.environ.get("TPUREF_TENSORFLOW_PYTHON", "")
if not PYTHON:
    pytest.importorskip("tensorflow")
    PYTHON = sys.executable

PAGE = Path(__file__).resolve().parents[2] / "docs" / "checkpoints.md"
SAVING = """
import sys
import numpy as np
import tensorflow as tf

v1 = tf.compat.v1
v1.disable_eager_execution()
kinds = [tf.float32, tf.float64, tf.bfloat16, tf.int64, tf.int8, tf.bool]
kept = [tf.cast([[0, 1, 2], [3, 4, 5]], kind) for kind in kinds]
kept = [v1.get_variable("scope/" + k.dtype.name, initializer=k) for k in kept]
v1.get_variable("z", initializer=tf.complex([1.0, 2.0], [3.0, 4.0]))
saver = v1.train.Saver()
v1.get_variable("text", initializer=tf.constant("left out"))
with v1.Session() as sess:
    sess.run(v1.global_variables_initializer())
    expected = sess.run(v1.global_variables())
    if len(sys.argv) == 2:
        v1.train.Saver().save(sess, sys.argv[1], global_step=7)
    else:
        sess.run([v.assign(v - v) for v in v1.global_variables()[:5]])
        saver.restore(sess, v1.train.latest_checkpoint(sys.argv[2]))
        for one, other in zip(expected, sess.run(v1.global_variables())):
            assert np.all(one == other)
"""


def test_a_checkpoint_is_converted_and_back(tmp_path):
    write_script(tmp_path)
    (tmp_path / "saving.py").write_text(SAVING)
    (tmp_path / "old").mkdir()
    (tmp_path / "new").mkdir()
    (tmp_path / "back").mkdir()
    old, new = str(tmp_path / "old" / "m"), str(tmp_path / "new" / "m-7")
    for words in (
        ["saving.py", old],
        ["convert.py", f"{old}-7", new],
        ["convert.py", new, str(tmp_path / "back" / "m-7")],
        ["saving.py", old, str(tmp_path / "back")],
    ):
        subprocess.run([PYTHON, *words], cwd=tmp_path, check=True, timeout=300)
    with pytest.raises(tf.errors.UnimplementedError, match="convert.py"):
        tf.train.load_checkpoint(f"{old}-7")
    check_converted(tmp_path / "new")


def write_script(folder):
    script = re.search(
        r"title=\"convert.py\"\n(.*?)^```$", PAGE.read_text(), re.M | re.S
    )
    assert script is not None
    (folder / "convert.py").write_text(script[1])


@pytest.mark.parametrize("starts", ["tpuref", "tensorflow"])
def test_a_model_of_keras_and_its_optimizer(starts, tmp_path):
    """The other library restores all of it, and goes on in the same way."""
    pytest.importorskip("keras", reason="the extra keras is not installed")
    write_script(tmp_path)
    program = str(PAGE.parents[1] / "tests" / "keras" / "programs" / "checkpoint.py")
    pythons = {"tpuref": sys.executable, "tensorflow": PYTHON}
    ends = "tensorflow" if starts == "tpuref" else "tpuref"
    for words in (
        [pythons[starts], program, starts, "save", "m-1"],
        [PYTHON, "convert.py", "m-1", "converted"],
        [pythons[ends], program, ends, "load", "m-1", "converted"],
    ):
        subprocess.run(words, cwd=tmp_path, check=True, timeout=300)


def check_converted(folder):
    reader = tf.train.load_checkpoint(str(folder))
    names = {name.rpartition("/")[2] for name in reader.get_variable_to_shape_map()}
    assert names == {"float32", "float64", "bfloat16", "int64", "int8", "bool", "z"}
    for name, dtype in reader.get_variable_to_dtype_map().items():
        value = reader.get_tensor(name)
        assert value.dtype == dtype.np
        expected = np.arange(6).reshape(2, 3)
        if name == "z":
            assert value.tolist() == [1 + 3j, 2 + 4j]
        else:
            assert np.array_equal(value, expected.astype(dtype.np))
