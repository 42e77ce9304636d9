"""Programs written for TensorFlow, run without an edit."""

import os
import sys

import pytest

from tpuref.tools.as_tensorflow import NOTE

from ..pythons import python

PROGRAM = """\
import multiprocessing
import subprocess
import sys

import tensorflow as tf
import tensorflow.compat.v1 as v1
import tensorflow.contrib.tpu as contrib_tpu
from tensorflow.contrib import cluster_resolver
from tensorflow.contrib.tpu.python.tpu import tpu
from tensorflow.python.framework import ops
from tensorflow.python.training import moving_averages

def child():
    import tensorflow.compat.v1 as tf

    print("child", tf.Session.__module__, flush=True)

if __name__ == "__main__":
    assert tf.tpu.replicate is tpu.replicate is v1.tpu.replicate
    assert contrib_tpu.shard is tf.tpu.shard
    assert cluster_resolver is tf.contrib.cluster_resolver
    assert ops.Tensor is tf.Tensor
    outputs = contrib_tpu.replicate(tf.tpu.cross_replica_sum, [[1.0], [2.0]])
    with tf.Session() as session:
        print("parent", *map(float, sum(session.run(outputs), ())), flush=True)
    for method in ("spawn", "fork"):
        process = multiprocessing.get_context(method).Process(target=child)
        process.start()
        process.join(60)
    line = "import tensorflow as tf; print('grandchild', tf.__name__, flush=True)"
    subprocess.run([sys.executable, "-c", line], check=True)
    try:
        import tensorflow.graph
    except ImportError as error:
        print("missing", error)
    tf.constant(1) + tf.constant(1.0)
"""


def run(tmp_path, text, *options):
    path = tmp_path / "program.py"
    path.write_text(text)
    return python(
        "-m", "tpuref", *options, str(path), env={"TPUREF_EXECUTOR": "lockstep"}
    )


def test_a_program_and_its_children(tmp_path):
    done = run(tmp_path, PROGRAM, "run", "--as-tensorflow")
    assert done.stdout.splitlines() == [
        "parent 3.0 3.0",
        "child tpuref.engine.graph.session",
        "child tpuref.engine.graph.session",
        "grandchild tpuref",
        "missing tpuref has no tf.graph (nor has TensorFlow). Did you mean tf.Graph?"
        " [TPUREF-E200]",
    ]
    assert done.returncode == 1
    assert done.stderr.count("Traceback") == 1
    assert done.stderr.rstrip().endswith(NOTE)


def test_the_short_form(tmp_path):
    done = run(tmp_path, "import tensorflow\nprint(tensorflow)", "--as-tensorflow")
    assert done.stdout.startswith("<module 'tpuref'")


def test_without_the_option_it_is_what_it_was(tmp_path):
    (tmp_path / "tensorflow.py").write_text("real = True\n")
    done = run(tmp_path, "import tensorflow\nprint(tensorflow.real)", "run")
    assert done.stdout == "True\n"
    done = run(tmp_path, "import tensorflow\nprint(tensorflow)", "--as-tensorflow")
    assert done.stdout.startswith("<module 'tpuref'")


def test_it_refuses_beside_the_real_one(tmp_path):
    (tmp_path / "tensorflow.py").write_text("")
    program = tmp_path / "program.py"
    program.write_text("")
    done = python(
        "-c",
        "import tensorflow, sys; from tpuref.tools.cli import main; sys.exit(main())",
        "run",
        "--as-tensorflow",
        str(program),
        env={"PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])},
    )
    assert done.returncode == 2
    assert done.stderr.startswith("tpuref run: import tensorflow cannot mean tpuref")
    assert "TPUREF-E253" in done.stderr


DROPOUT = """\
import tensorflow as tf
import tensorflow.compat.v1 as v1

x = tf.nn.dropout(tf.ones([4000]), 0.1)
y = v1.nn.dropout(tf.ones([4000]), 0.1)
if tf.executing_eagerly():
    values = x.numpy(), y.numpy()
else:
    values = v1.Session().run([x, y])
print(*[round(float((value > 0).mean()), 1) for value in values], end=" ")
print(isinstance(x.shape[0], int), isinstance(x == x, bool))
"""

BY_MODE = "import tensorflow as tf\nprint(tf.executing_eagerly())\n"


@pytest.mark.parametrize(
    ("option", "expected"),
    [("--as-tensorflow=1", "0.1 0.1 False True"),
     ("--as-tensorflow=2", "0.9 0.1 True False")],
)  # fmt: skip
def test_the_release_that_is_asked_for(tmp_path, option, expected):
    assert run(tmp_path, DROPOUT, "run", option).stdout.strip() == expected
    assert run(tmp_path, DROPOUT, option).stdout.strip() == expected


@pytest.mark.parametrize(
    ("line", "release", "eager"),
    [("tf.Session, tf.placeholder", "TensorFlow 1 (tf.Session, tf.placeholder)", False),
     ("tf.random.set_seed", "TensorFlow 2 (tf.random.set_seed)", True),
     ("", "either release of TensorFlow: nothing in it tells", False)],
)  # fmt: skip
def test_the_script_decides(tmp_path, line, release, eager):
    done = run(tmp_path, f"{BY_MODE}def unused():\n    return {line}\n",
               "run", "--as-tensorflow")  # fmt: skip
    assert done.stdout.strip() == str(eager)
    (said,) = done.stderr.splitlines()
    assert f"is written for {release}; --as-tensorflow=1 or =2 chooses" in said


def test_the_environment_decides_in_children_too(tmp_path, monkeypatch):
    monkeypatch.setenv("TPUREF_AS_TENSORFLOW", "2")
    child = (
        f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {BY_MODE!r}])"
    )
    done = run(tmp_path, f"{BY_MODE}{child}\n", "run")
    assert sorted(done.stdout.split()) == ["True", "True"]
    monkeypatch.setenv("TPUREF_AS_TENSORFLOW", "3")
    refused = run(tmp_path, BY_MODE, "run")
    assert refused.returncode == 2
    assert "expected 1 or 2, got '3'" in refused.stderr


def test_private_modules_and_those_without_meaning(tmp_path):
    program = (
        "import tensorflow.contrib.slim as slim, tensorflow as tf\n"
        "from tensorflow.contrib import slim as same\n"
        "from tensorflow.python.eager import context\n"
        "import tensorflow.python.ops.math_ops as math_ops\n"
        "import tensorflow.compat.v1 as v1\n"
        "assert slim is same and math_ops.reduce_sum is v1.reduce_sum\n"
        "slim.conv3d\n"
    )
    done = run(tmp_path, program, "--as-tensorflow")
    assert "tpuref has no tf.contrib.slim.conv3d (in TensorFlow 1.8" in done.stderr


def test_a_module_with_relative_imports(tmp_path):
    package = tmp_path / "models" / "small"
    package.mkdir(parents=True)
    (package / "train.py").write_text(
        "import sys\nimport tensorflow as tf\nfrom . import sizes\n"
        "print(__name__, tf.__name__, sizes.UNITS, sys.argv[1:])\n"
    )
    (package / "sizes.py").write_text("UNITS = 3\n")

    def module(name):
        words = ["run", "--as-tensorflow=1", "-m", name, "--steps", "2"]
        return python("-m", "tpuref", *words, cwd=tmp_path)

    done = module("models.small.train")
    assert done.stdout == "__main__ tpuref 3 ['--steps', '2']\n"
    for name in ("models.small.tran", "models.small", "nothing.train"):
        done = module(name)
        assert done.returncode == 2
        assert f"-m {name}: there is no such module in {tmp_path}" in done.stderr
