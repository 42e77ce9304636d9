"""The names that a program takes from ``tf``, found without running it."""

import json
import re
import textwrap
from pathlib import Path

import pytest

from tpuref.tools.porting.program import read_program
from tpuref.tools.porting.report import program_text
from tpuref.tools.porting.source import Source, files, read
from tpuref.tools.porting.tokens import import_of, statements


def read_text(text):
    return read_program(Source(Path("a.py"), textwrap.dedent(text), "utf-8"))


def taken(text, parsed=True):
    """Return the lines of each name that a script takes."""
    program = read_text(text)
    assert program.unparsed != parsed
    return {
        name.name.removeprefix("tf."): [place.line for place in name.places]
        for name in program.names
    }


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("import tensorflow as tf; tf.zeros", {"zeros": [1]}),
        ("import tensorflow; tensorflow.nn.relu", {"nn.relu": [1]}),
        ("import tensorflow.contrib.tpu\ntensorflow.contrib.tpu.shard",
         {"contrib.tpu": [1], "contrib.tpu.shard": [2]}),
        ("import tensorflow.compat.v1 as tf\ntf.zeros",
         {"compat.v1": [1], "compat.v1.zeros": [2]}),
        ("import tensorflow.compat.v2 as tf\ntf.keras.Model",
         {"compat.v2": [1], "keras.Model": [2]}),
        ("from tensorflow import keras as k\nk.layers.Dense(1)",
         {"keras": [1], "keras.layers.Dense": [2]}),
        ("from tensorflow.nn import (relu,\n    selu)", {"nn.relu": [1],
                                                         "nn.selu": [2]}),
        ("from tensorflow.python.tpu import tpu_estimator\ntpu_estimator.TPUEstimator",
         {"python.tpu.tpu_estimator": [1],
          "python.tpu.tpu_estimator.TPUEstimator": [2]}),
        ("from tensorflow import *\nzeros([2]), shrad", {"zeros": [2]}),
        ("import tpuref as tf; tf.zeros", {"zeros": [1]}),
        ("import tensorflow_datasets as tfds, numpy as tf; tf.zeros", {}),
        ("from . import tensorflow as tf; tf.zeros", {}),
        ("import tensorflow as tf\ntpu = tf.contrib.tpu\nshard = tpu.shard\nshard(1)",
         {"contrib.tpu": [2], "contrib.tpu.shard": [3]}),
        ("import tensorflow as tf\na, b = tf.nn, tf.math\na.relu, b.abs",
         {"nn": [2], "math": [2], "nn.relu": [3], "math.abs": [3]}),
    ],
)  # fmt: skip
def test_ways_to_name_it(text, names):
    assert taken(text) == names


def test_members_of_values_are_the_value():
    assert taken("""
        import tensorflow as tf
        FLAGS = tf.flags.FLAGS
        FLAGS.batch_size, FLAGS.steps
        dtype = tf.float32
        dtype.name, tf.float32.size
        tf.estimator.ModeKeys.TRAIN
    """) == {"flags.FLAGS": [3], "float32": [5, 6], "estimator.ModeKeys.TRAIN": [7]}


def test_each_line_of_a_name():
    assert taken("""
        import tensorflow as tf
        x = tf.zeros(tf.shape(
            tf.zeros([2])))
        y = (tf
             .nn.relu(x))
    """) == {"zeros": [3, 4], "shape": [3], "nn.relu": [5]}


@pytest.mark.parametrize(
    "text",
    [
        "def f(tf):\n    return tf.zeros",
        "f = lambda tf: tf.zeros",
        "[tf.zeros for tf in range(3)]",
        "def f():\n    import numpy as tf\n    return tf.zeros",
        "for tf in range(3):\n    tf.zeros",
        "def f():\n    with open('x') as tf:\n        tf.zeros",
        "import numpy as tf\ntf.zeros",
        "class tf:\n    zeros = 1\ntf.zeros",
        "'tf.zeros'  # tf.zeros",
        "tf.zeros = 1",
        "x.tf.zeros",
    ],
)
def test_another_thing_of_the_same_name(text):
    assert taken(f"import tensorflow as tf\n{text}") == {}


def test_where_functions_see_a_name():
    text = """
        def before():
            return tf.zeros
        class Model:
            nn = 3
            tf = None
            def call(self, x):
                return tf.nn.relu(x)
        def late():
            global tf
            import tensorflow as tf
    """
    assert taken("import tensorflow as tf" + textwrap.dedent(text)) == {
        "zeros": [3],
        "nn.relu": [8],
    }


def test_what_happens_in_some_cases_only():
    assert taken("""
        try:
            import tensorflow as tf
        except ImportError:
            tf = None
        if tf is not None:
            tf.zeros
    """) == {"zeros": [7]}


PYTHON_2 = """
    import tensorflow as tf, sys
    from tensorflow.contrib import tpu as ctpu
    import tensorflow.contrib.tpu
    print "tf.no", tf.reduce_sum(tf.ones([0777L]))
    print `ctpu.rewrite`, ur'tf.no'  # tf.no
    nn = tf.nn
    nn.relu
    if x <> 1: from tensorflow.nn import relu; import tensorflow.nn as n
    try:
        n.selu
    except Exception, e:
        raise ValueError, x.tf.no
    exec "tf.no"
    s = '''
    import tensorflow as no
    ''' + tf \\
        .name_scope
"""


def test_programs_for_python_2():
    script = "import tensorflow as tf\nprint tf.zeros"
    assert taken(script, parsed=False) == {"zeros": [2]}
    with pytest.raises(SyntaxError):
        compile(textwrap.dedent(PYTHON_2), "p", "exec")
    assert taken(PYTHON_2, parsed=False) == {
        "contrib.tpu": [3, 4],
        "reduce_sum": [5],
        "ones": [5],
        "contrib.tpu.rewrite": [6],
        "nn.relu": [8, 9],
        "nn": [7, 9],
        "nn.selu": [11],
        "name_scope": [17],
    }


@pytest.mark.parametrize("text", ["(((", "'", '"""', "import", "from x", "\0", "a\\"])
def test_broken_programs_are_read_on(text):
    script = f"import tensorflow as tf\ntf.zeros\n{text}"
    assert taken(script, parsed=False) == {"zeros": [2]}


def test_both_readers_find_the_same(tmp_path):
    """The reader of tokens on programs that can be parsed: those of this project."""
    top = Path(__file__).resolve().parents[2]
    for path in [*files(top / "examples"), *files(top / "tests" / "tpu")]:
        text = path.read_text()
        if re.search(r"(def \w+\(|lambda )([^)]*, )?tf\b", text):
            continue  # a parameter, which tokens do not tell from the module
        source = Source(path, text, "utf-8")
        broken = Source(path, f"{text}\nprint 'and this is Python 2'\n", "utf-8")
        one, other = read_program(source), read_program(broken)
        assert (one.unparsed, other.unparsed) == (False, True)
        assert summary(one) == summary(other), path


def summary(program):
    return sorted((name.name, list(name.places)) for name in program.names)


@pytest.mark.parametrize(
    ("text", "imported"),
    [
        ("import a.b as c, d", (None, [("a.b", "c"), ("d", None)])),
        ("from a.b import (c as d,\n  e)", ("a.b", [("c", "d"), ("e", None)])),
        ("from a import *", ("a", [("*", None)])),
        ("from . import a", None),
        ("importer = 1", None),
    ],
)
def test_import_statements(text, imported):
    (statement,) = statements(text)
    found = import_of(statement)
    if found is None:
        assert imported is None
        return
    module = None if found.module is None else found.module.name
    assert (module, [(name.name, name.bound) for name in found.names]) == imported


def notebook(path, *cells):
    written = [
        {"cell_type": "markdown", "metadata": {}, "source": ["tf.no"]},
        *({"cell_type": "code", "metadata": {}, "source": cell} for cell in cells),
    ]
    path.write_text(json.dumps({"cells": written, "nbformat": 4}))
    return path


def test_notebooks(tmp_path):
    path = notebook(
        tmp_path / "a.ipynb",
        ["!pip install \\\n", "    tensorflow\n", "import tensorflow as tf\n"],
        "%matplotlib inline\nx = !ls\n%time y = tf.zeros([2])\ntf.ones?\ntf.eye",
        "%%bash\nimport tensorflow as no",
        "%%time\ntf.nn.relu\nprint tf.abs",
        "%%writefile a.py\ntf.range",
    )
    program = read_program(read(path))
    assert program.unparsed
    assert [(n.name, [str(p) for p in n.places]) for n in program.names] == [
        ("tf.zeros", ["cell 3 line 3"]),
        ("tf.eye", ["cell 3 line 5"]),
        ("tf.nn.relu", ["cell 5 line 2"]),
        ("tf.abs", ["cell 5 line 3"]),
        ("tf.range", ["cell 6 line 2"]),
    ]


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"cells": 1}', "not JSON"])
def test_what_is_no_notebook(text, tmp_path):
    path = tmp_path / "a.ipynb"
    path.write_text(text)
    with pytest.raises(ValueError, match="Expecting value|no list of cells"):
        read_program(read(path))


def test_the_files_of_a_folder(tmp_path):
    for name in (
        "b.py", "a.ipynb", "a.txt", ".hidden.py", "sub/c.py", ".git/d.py",
        "__pycache__/e.py", "venv/pyvenv.cfg", "venv/lib/f.py",
    ):  # fmt: skip
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    found = [str(path.relative_to(tmp_path)) for path in files(tmp_path)]
    assert found == ["a.ipynb", "b.py", "sub/c.py"]
    assert list(files(tmp_path / "a.txt")) == [tmp_path / "a.txt"]


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        (b"\xef\xbb\xbfx = 'caf\xc3\xa9'\r\n", "utf-8-sig"),
        (b"# coding: latin-1\nx = 'caf\xe9'\n", "iso-8859-1"),
        (b"x = 'caf\xe9'\n", "latin-1"),  # which Python 2 took
        (b"# coding: nothing\n", "latin-1"),
    ],
)
def test_encodings(data, encoding, tmp_path):
    path = tmp_path / "a.py"
    path.write_bytes(data)
    source = read(path)
    assert source.encoding == encoding
    assert source.text.encode(source.encoding) == data


def test_idioms_of_keras_2():
    """Each is what Keras 3.15.1 refuses; the others it takes."""
    program = read_text(
        """
        from tensorflow import keras
        keras.layers.Embedding(3, 4, weights=[w])
        keras.optimizers.Adam(lr=0.1), keras.optimizers.Adam(learning_rate=0.1)
        model.fit(x, y, workers=2)
        model.fit_generator(batches)
        model.save_weights("weights.h5"), model.save_weights("a.weights.h5")
        model.save("folder"), model.save("a.keras"), saver.save("folder")
        keras.models.load_model("folder")
        metric.reset_states()
        print(model.optimizer.lr, settings.lr)
        keras.callbacks.ModelCheckpoint("w", save_weights_only=True, period=3)
        """
    )
    assert sorted((place.line, idiom.text) for place, idiom in program.keras_2) == [
        (3, "Embedding(weights=)"),
        (4, "Adam(lr=)"),
        (5, "fit(workers=)"),
        (6, "fit_generator()"),
        (7, "save_weights('weights.h5')"),
        (8, "save('folder')"),
        (9, "load_model('folder')"),
        (10, "reset_states()"),
        (11, "optimizer.lr"),
        (12, "ModelCheckpoint('w')"),
        (12, "ModelCheckpoint(period=)"),
    ]
    assert "  Keras 3 refuses this" in program_text(program)
    assert not read_text("metric.reset_states()").keras_2


def test_names_of_the_keras_that_is_installed():
    pytest.importorskip("keras", reason="the extra keras is not installed")
    program = read_text(
        """
        import tensorflow as tf
        tf.keras.layers.Dense, tf.keras.Model, tf.keras.applications.resnet50.ResNet50
        tf.keras.layers.CuDNNLSTM
        tf.keras.layers.experimental.preprocessing.Rescaling
        """
    )
    assert {name.name: name.missing.advice for name in program.missing} == {
        "tf.keras.layers.CuDNNLSTM": "Use tf.keras.layers.LSTM.",
        "tf.keras.layers.experimental.preprocessing.Rescaling": (
            "Use the layers of tf.keras.layers."
        ),
    }
