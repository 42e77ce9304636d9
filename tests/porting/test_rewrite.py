"""Import lines that take tpuref: what changes, what stays, and not a byte more."""

import json
from pathlib import Path

import pytest

from tpuref.tools.porting.program import read_program
from tpuref.tools.porting.release import fixed_release, release_of
from tpuref.tools.porting.replacement import Replacement, replaced
from tpuref.tools.porting.rewrite import rewrite
from tpuref.tools.porting.source import Source, read


def of(text, name="a.py"):
    return rewrite(Source(Path(name), text, "utf-8"))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("import tensorflow as tf", "import tpuref as tf"),
        ("import  tensorflow  as tf;x=1", "import  tpuref  as tf;x=1"),
        ("import os, tensorflow as tf, sys", "import os, tpuref as tf, sys"),
        ("import tensorflow", "import tpuref as tensorflow"),
        ("import tensorflow.contrib.tpu", "import tpuref as tensorflow"),
        ("import tensorflow.compat.v1 as tf", "import tpuref.compat.v1 as tf"),
        ("from tensorflow.contrib import slim", "from tpuref.contrib import slim"),
        ("import tensorflow.contrib.slim as s", "import tpuref.contrib.slim as s"),
        ("import tensorflow.compat.v2 as tf", "import tpuref as tf"),
        ("import tensorflow.nn as nn", "import tpuref.nn as nn"),
        ("from tensorflow import nn, math", "from tpuref import nn, math"),
        ("from tensorflow.nn import *", "from tpuref.nn import *"),
        ("from tensorflow import *", "from tpuref import *"),
        ("from tensorflow.compat import v1 as t", "from tpuref.compat import v1 as t"),
        ("from tensorflow.nn import (relu,  # one\n  selu)",
         "from tpuref.nn import (relu,  # one\n  selu)"),
        ("if x: import tensorflow as tf\r\n", "if x: import tpuref as tf\r\n"),
        ("print 'x'; import tensorflow as tf", "print 'x'; import tpuref as tf"),
    ],
)  # fmt: skip
def test_lines_that_change(before, after):
    found = of(before)
    assert found.text == after and found.refusals == []
    assert found.changes[0].before == before.splitlines()[0].strip()
    if not before.startswith("print"):
        compile(found.text.replace("\r", ""), "a.py", "exec")


NO_SAVED_MODEL = "tpuref has no tf.saved_model (in TensorFlow"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("from tensorflow import saved_model, nn", NO_SAVED_MODEL),
        ("from tensorflow.contrib.slim import conv3d",
         "tpuref has no tf.contrib.slim.conv3d (in TensorFlow 1.8 to 1.15)."),
        ("from tensorflow.python.eager.context import ensure_initialized",
         "tpuref has no tf.python.eager.context.ensure_initialized"),
        ("import tensorflow.saved_model as k", NO_SAVED_MODEL),
        ("import tensorflow.saved_model", NO_SAVED_MODEL),
        ("import tensorflow.config as c", "tf.config is not a module."),
        ("from tensorflow.saved_model import *", NO_SAVED_MODEL),
    ],
)  # fmt: skip
def test_lines_that_stay(text, reason):
    found = of(f"x = 1\n{text}\n")
    assert found.text == f"x = 1\n{text}\n" and found.changes == []
    (refusal,) = found.refusals
    assert refusal.place.line == 2 and refusal.reason.startswith(reason)


@pytest.mark.parametrize(
    "text",
    [
        "s = '''\nimport tensorflow as tf\n'''",
        "# import tensorflow as tf",
        "import tensorflow_datasets as tfds",
        "import mytensorflow, a.tensorflow",
        "from .tensorflow import x",
        "import tpuref as tf",
        "f'{x[\"import tensorflow as tf\"]}'",
        "",
    ],
)
def test_what_is_no_import_of_tensorflow(text):
    found = of(text)
    assert (found.text, found.changes, found.refusals) == (text, [], [])


def test_the_changed_program_runs(tmp_path):
    text = (
        "import tensorflow\nimport tensorflow.compat.v1 as tf\n"
        "from tensorflow.nn import relu\nfrom tensorflow import tpu, errors as e\n"
        "import tensorflow.contrib.tpu\n"
        "found = (tensorflow.contrib.tpu.shard, tf.Session, relu, tpu, e.OpError)\n"
    )
    names = {}
    exec(of(text).text, names)
    assert names["tensorflow"].__name__ == "tpuref" and len(names["found"]) == 5


@pytest.mark.parametrize("data", [
    b"\xef\xbb\xbfimport tensorflow as tf\r\nx = '\xc3\xa9'\r\n\x0c\n",
    b"# coding: latin-1\nimport tensorflow as tf  # \xe9\n",
    b"import tensorflow as tf  # \xe9, as Python 2 took it",
])  # fmt: skip
def test_every_other_byte_stays(data, tmp_path):
    path = tmp_path / "a.py"
    path.write_bytes(data)
    path.chmod(0o755)
    rewrite(read(path)).save()
    assert path.read_bytes() == data.replace(b"import tensorflow", b"import tpuref")
    assert path.stat().st_mode & 0o777 == 0o755


CELLS = [
    {"cell_type": "markdown", "source": ["import tensorflow as tf\n", "é"]},
    {
        "cell_type": "code",
        "metadata": {"source": "import tensorflow as tf"},
        "source": ["!pip install tensorflow\n", "import tensorflow as tf\n", "'é😀'"],
        "outputs": [{"text": ["import tensorflow as tf\n"]}],
    },
    {
        "cell_type": "code",
        "source": "x='é'; import tensorflow\nfrom tensorflow import nn",
    },
    {"cell_type": "code", "source": ["%%bash\n", "import tensorflow as tf"]},
]  # fmt: skip


@pytest.mark.parametrize("only_ascii", [False, True])
@pytest.mark.parametrize("indent", [None, 1])
def test_notebooks(only_ascii, indent):
    def written(cells):
        return json.dumps({"cells": cells}, indent=indent, ensure_ascii=only_ascii)

    found = of(written(CELLS), "a.ipynb")
    expected = json.loads(json.dumps(CELLS))
    expected[1]["source"][1] = "import tpuref as tf\n"
    expected[2]["source"] = "x='é'; import tpuref as tensorflow\nfrom tpuref import nn"
    assert found.text == written(expected)
    assert [str(change.place) for change in found.changes] == [
        "cell 2 line 2", "cell 3 line 1", "cell 3 line 2",
    ]  # fmt: skip


def test_a_notebook_in_unusual_writing_stays():
    text = json.dumps({"cells": [{"cell_type": "code", "source": "import tensorflow"}]})
    with pytest.raises(ValueError, match="JSON writes in another way"):
        of(text.replace("tensorflow", "\\u0074ensorflow"), "a.ipynb")


def test_replacements_in_any_order():
    both = [Replacement(4, 5, "E"), Replacement(0, 1, "AA")]
    assert replaced("abcdef", both) == "AAbcdEf"


@pytest.mark.parametrize(
    ("text", "number", "module"),
    [("import tensorflow as tf\ntf.Session(); tf.nn.dropout", 1, "tpuref.compat.v1"),
     ("import tensorflow as tf\ntf.Session(); tf.contrib.tpu.shard", 1, "tpuref"),
     ("import tensorflow as tf\ntf.compat.v1.Session(); tf.nn.dropout", 2, "tpuref"),
     ("import tensorflow as tf\ntf.compat.v1.disable_v2_behavior()", 2, "tpuref"),
     ("import tensorflow as tf\ntf.Session(); tf.placeholder; tf.autodiff", 1,
      "tpuref"),
     ("import tensorflow as tf\ntf.compat.v1.Session()", 1, "tpuref.compat.v1"),
     ("import tensorflow as tf\ntf.nn.dropout", None, "tpuref")],
)  # fmt: skip
def test_the_release_of_a_program(text, number, module):
    source = Source(Path("a.py"), text, "utf-8")
    program = read_program(source)
    assert release_of(program).number == number
    changed = rewrite(source, fixed_release(program)).text
    assert changed.startswith(f"import {module} as tf\n")
