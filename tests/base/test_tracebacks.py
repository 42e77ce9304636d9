"""What users see of a traceback: their own lines, and theirs alone."""

import json
from pathlib import Path

import pytest

import tpuref
from tpuref.base import tracebacks

from ..pythons import python

OURS = str(Path(tpuref.__file__).parent)
PROGRAM = """\
import tpuref as tf

def computation(x):
    return x + tf.constant(1)

def build():
    return tf.tpu.replicate(computation, [[1.0], [2.0]])

build()
"""


def executed(path, text, environment):
    path.write_text(text)
    return python(path, env={"TPUREF_TRACEBACKS": None, **environment})


def run(tmp_path, text, **variables):
    return executed(tmp_path / "program.py", text, variables).stderr


def places(shown):
    lines = [line for line in shown.splitlines() if line.startswith("  File ")]
    return [line.rpartition(" in ")[2] for line in lines]


def test_only_lines_of_the_user_the_deepest_last(tmp_path):
    shown = run(tmp_path, PROGRAM)
    assert places(shown) == ["<module>", "build", "computation"]
    assert shown.count("Traceback") == 1  # the cause is tpuref's own
    assert OURS not in shown
    assert tracebacks.NOTE not in shown


def test_all_frames_on_request(tmp_path):
    shown = run(tmp_path, PROGRAM, TPUREF_TRACEBACKS="full")
    assert OURS in shown
    assert "direct cause" in shown
    assert len(places(shown)) > 6


def test_what_a_core_raises(tmp_path):
    text = (
        "import numpy as np\nimport tpuref as tf\n"
        "fed = tf.placeholder(tf.float32)\n"
        "out = tf.tpu.replicate(lambda x: tf.matmul(x, x), [[fed], [fed]])\n"
        "with tf.Session() as session:\n"
        "    session.run(out, {fed: np.ones([2, 3])})\n"
    )
    for executor in ("pool", "lockstep"):
        shown = run(tmp_path, text, TPUREF_EXECUTOR=executor)
        assert places(shown) == ["<module>"]
        assert shown.count("Traceback") == 1


def test_a_wrong_setting(tmp_path):
    shown = run(tmp_path, "import tpuref as tf\ntf.constant(1)", TPUREF_TOPOLOGY="2x2")
    assert places(shown) == ["<module>"]
    assert "TPUREF_TOPOLOGY must be XxYxC" in shown


def test_causes_of_the_user_stay(tmp_path):
    text = (
        "import tpuref as tf\n"
        "def inner():\n    tf.constant(1) + tf.constant(1.0)\n"
        "def outer():\n"
        "    try:\n        inner()\n"
        "    except TypeError as error:\n        raise OSError('mine') from error\n"
        "outer()\n"
    )
    shown = run(tmp_path, text)
    assert places(shown) == ["outer", "inner", "<module>", "outer"]
    assert OURS not in shown


def test_an_error_without_a_code_says_where_the_rest_is(tmp_path):
    shown = run(
        tmp_path, "import tpuref as tf\ntf.Session().run(1, 2, 3, 4, 5, 6, 7)\n"
    )
    assert tracebacks.NOTE not in shown  # the user's own call is the innermost frame
    deep = (
        "import tpuref as tf\nfrom tpuref.interface.functions import creation\n"
        "creation.convert_to_tensor = None\ntf.zeros_like(1)\n"
    )
    assert shown != (shown := run(tmp_path, deep))
    assert places(shown) == ["<module>"]
    assert shown.rstrip().endswith(tracebacks.NOTE)


def test_threads(tmp_path):
    text = (
        "import threading\nimport tpuref as tf\n"
        "def work():\n    tf.constant(1) + tf.constant(1.0)\n"
        "threading.Thread(target=work).start()\n"
    )
    shown = run(tmp_path, text)
    assert places(shown)[-1] == "work"
    assert OURS not in shown


def test_a_program_that_handles_an_error_has_the_whole_traceback():
    with pytest.raises(TypeError) as raised:
        _ = tpuref.constant(1) + tpuref.constant(1.0)
    assert any(OURS in str(entry.path) for entry in raised.traceback)


def test_notebooks(tmp_path):
    pytest.importorskip("IPython")
    cells = ["import tpuref as tf", *PROGRAM.split("\n\n")[1:]]
    text = (
        "import json, os\n"
        "from IPython.core.interactiveshell import InteractiveShell\n"
        "shell = InteractiveShell.instance(colors='NoColor', xmode='Context')\n"
        f"for cell in json.loads({json.dumps(json.dumps(cells))}):\n"
        "    shell.run_cell(cell)\n"
        "print('FULL')\n"
        "os.environ['TPUREF_TRACEBACKS'] = 'full'\n"
        "shell.run_cell('build()')\n"
        "shell.run_cell('1 / 0')\n"
    )
    done = executed(tmp_path / "notebook.py", text, {"IPYTHONDIR": str(tmp_path)})
    short, _, full = done.stdout.partition("FULL")
    assert "in computation(x)" in short and "TPUREF-E112" in short
    assert OURS not in short.replace("~", str(Path.home()))
    assert "operators.py" in full
    assert "ZeroDivisionError" in full
