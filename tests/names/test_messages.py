"""Names that tpuref does not have: what a program is told wherever it meets one."""

import copy
import functools
import importlib
import importlib.util
import inspect
import pickle
import re
import sys

import pytest

import tpuref as tf
from tpuref.base import error_codes as codes
from tpuref.names.table import namespaces

from ..pythons import python

CODE = f"[{codes.MISSING_NAME}]"
PRIVATE = re.compile(r"(__internal__|compiler|core)\b|.*\bpython\b")
NAMESPACES = [name for name in namespaces() if not PRIVATE.match(name)]


def told(name):
    with pytest.raises(AttributeError) as raised:
        functools.reduce(getattr, name.split("."), tf)
    message = str(raised.value)
    assert message.endswith(f" {CODE}")
    return message.removesuffix(f" {CODE}")


@pytest.mark.parametrize(
    ("name", "origin", "advice"),
    [
        ("RegisterGradient", "in TensorFlow 1.8 to 2.21", "Use tf.gradients"),
        ("keras.Model", "in TensorFlow 1.8 to 2.21", "In a program that runs"),
        ("contrib.learn.Experiment", "in TensorFlow 1.8 to 1.15", "Write a model func"),
        ("contrib.slim.unit_norm", "in TensorFlow 1.8 to 1.15", "Use tf.layers, or"),
        ("contrib.slim.conv3d", "in TensorFlow 1.8 to 1.15", "Use tf.layers, or"),
        ("tpu.experimental.embedding", "in TensorFlow 2.4 and 2.21", "Keep the table"),
        ("estimator.DNNClassifier", "in TensorFlow 1.8 to 2.4",
         "Write a model function"),
        ("train.QueueRunner", "in TensorFlow 1.8 to 1.15, and as "
         "tf.compat.v1.train.QueueRunner in 2.4 and 2.21", "Read the data"),
        ("linalg.expm", "in TensorFlow 1.8 to 2.21", "Write it with operations"),
        ("compat.v2.linalg.expm", "in TensorFlow 2.4 and 2.21, and as "
         "tf.compat.v1.linalg.expm in 1.15", "Write it with operations"),
        ("compat.v2.Session", "as tf.compat.v1.Session in TensorFlow 1.15 to 2.21",
         "Use tf.compat.v1.Session, which is the same."),
        ("python.eager.context.ensure", "it is private to TensorFlow",
         "Use the documented names"),
        ("python.tf2.enabled", "it is private to TensorFlow",
         "Use tf.executing_eagerly."),
        ("contrib.tpu.python.tpu.util.x", "it is private to TensorFlow",
         "Use the documented names, which are in tf.contrib.tpu."),
        ("config.experimental_list_devices", "in TensorFlow 1.15",
         "Use tf.config.list_logical_devices"),
        ("contrib.nothing", "nor has TensorFlow", "Of tf.contrib, tpuref has tpu"),
    ],
)  # fmt: skip
def test_a_name_of_tensorflow(name, origin, advice):
    assert told(name).startswith(f"tpuref has no tf.{name} ({origin}). {advice}")


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("dimension_value", "tf.compat.dimension_value"),
        ("compat.v1.dimension_value", "tf.compat.dimension_value"),
    ],
)
def test_the_same_function_elsewhere(name, instead):
    assert f"Use {instead}, which is the same." in told(name)


@pytest.mark.parametrize(
    ("name", "close"),
    [
        ("tpu.shrad", "tf.tpu.shard"),
        ("compat.v1.Sesion", "tf.compat.v1.Session"),
        ("config.corse", "tf.config.cores"),
        ("nn.rellu", "tf.nn.relu or tf.nn.relu6"),
        ("data.Dataste", "tf.data.Dataset"),
        ("data.Dataset.mpa", "tf.data.Dataset.map"),
        ("gradeints", "tf.gradients"),  # and then what to do about that
        ("PaddingSpec", "tf.tpu.PaddingSpec"),
        ("contrib.tpu.XLAOptions", "tf.tpu.XLAOptions"),
    ],
)
def test_a_typing_error(name, close):
    assert told(name).endswith(f"(nor has TensorFlow). Did you mean {close}?")


def test_a_name_that_nobody_has():
    assert told("qwertyuiop") == "tpuref has no tf.qwertyuiop (nor has TensorFlow)."


@pytest.mark.parametrize("namespace", ["config", *NAMESPACES])
def test_every_namespace_says_the_same(namespace):
    name = f"{namespace}.qwertyuiop".lstrip(".")
    assert told(name).startswith(f"tpuref has no tf.{name} (nor has TensorFlow).")


@pytest.mark.parametrize(
    ("statement", "kind", "name"),
    [
        ("from tpuref.keras import layers", ImportError, "tf.keras.layers"),
        ("from tpuref.compat.v1.estimator import DNNClassifier", ImportError,
         "tf.compat.v1.estimator.DNNClassifier"),
        ("from tpuref.nn import rellu", ImportError, "tf.nn.rellu"),
        ("from tpuref.tpu import shard, shrad", ImportError, "tf.tpu.shrad"),
        ("from tpuref.compat.v2 import Session", ImportError, "tf.compat.v2.Session"),
        ("import tpuref.feature_column", ModuleNotFoundError, "tf.feature_column"),
        ("import tpuref.keras.layers as layers", ModuleNotFoundError,
         "tf.keras.layers"),
        ("import tpuref.contrib.tpu.python.tpu.tpu_contexts", ModuleNotFoundError,
         "tf.contrib.tpu.python.tpu.tpu_contexts"),
        ("from tpuref.contrib.tpu.python.tpu import tpu_contexts", ImportError,
         "tf.contrib.tpu.python.tpu.tpu_contexts"),
        ("from tpuref.python.nothing import context", ModuleNotFoundError,
         "tf.python.nothing"),
        ("import tpuref.compat.v1.saved_model", ModuleNotFoundError,
         "tf.compat.v1.saved_model"),
    ],
)  # fmt: skip
def test_an_import(statement, kind, name):
    with pytest.raises(ImportError) as raised:
        exec(statement, {})
    assert type(raised.value) is kind
    assert str(raised.value).startswith(f"tpuref has no {name} (")
    assert str(raised.value).endswith(CODE)
    assert raised.value.name is not None and raised.value.name.startswith("tpuref")


def test_an_import_of_what_is_no_module():
    with pytest.raises(ModuleNotFoundError, match="tf.config is not a module"):
        importlib.import_module("tpuref.config")


@pytest.mark.parametrize(
    "modules",
    [
        {"nn": "nn", "app.flags": "flags", "errors": "errors"},
        {
            "compat.v1.app.flags": "compat.v1.flags",
            "compat.v2.keras": "keras",
            "nest": "nest",
        },
    ],
)
def test_a_namespace_is_a_module_wherever_programs_see_it(modules):
    script = "".join(
        f"import tpuref.{module} as imported, tpuref as tf\n"
        f"assert imported is tf.{namespace}, imported\n"
        f"assert imported.__spec__.name == imported.__name__\n"
        for module, namespace in modules.items()
    )
    python("-c", script, check=True)


def test_the_older_spelling_can_be_imported_first():
    script = (
        "import tpuref.compat.v1 as v1\n"
        "import tpuref as tf\n"
        "assert tf.compat.v1 is v1 and tf.Session is v1.Session\n"
        "assert v1.compat.v1 is v1\n"
    )
    python("-c", script, check=True)


@pytest.mark.parametrize(
    "statement",
    [
        "import tpuref.contrib.tpu.python.tpu.tpu_function as m",
        "from tpuref.contrib.tpu.python.tpu import tpu_function as m",
        "import tpuref.python.tpu.tpu_function as m",
        "from tpuref.python.tpu import tpu_function as m",
        "import tpuref as tf\nm = tf.python.tpu.tpu_function",
        "import tpuref as tf\nm = tf.contrib.tpu.python.tpu.tpu_function",
    ],
)
def test_the_modules_of_tensorflow_that_programs_import(statement):
    script = (
        f"{statement}\n"
        "from tpuref.python.tpu import tpu_function as same\n"
        "assert m is same and m.get_tpu_context().number_of_shards is None\n"
    )
    python("-c", script, check=True)


def test_who_asks_gets_an_answer():
    assert not hasattr(tf, "feature_column")
    assert getattr(tf.nn, "static_rnn", None) is None
    assert not hasattr(tf.config, "experimental_list_devices")
    assert not hasattr(tf.data.Dataset, "window")
    assert importlib.util.find_spec("tpuref.feature_column") is None
    assert importlib.util.find_spec("tpuref.contrib.tpu.python.framework") is None
    assert importlib.util.find_spec("tpuref.base.nothing") is None


@pytest.mark.parametrize("name", ["__wrapped__", "__all__x", "_ipython_display_"])
@pytest.mark.parametrize("value", [tf, tf.nn, tf.data.Dataset.range(2), tf.config])
def test_probes_are_answered_at_once(name, value, monkeypatch):
    monkeypatch.setitem(sys.modules, "tpuref.names.message", None)
    assert not hasattr(value, name)


def test_the_table_is_read_for_messages_only():
    script = (
        "import sys, tpuref as tf\n"
        "from tpuref import nn\n"
        "import tpuref.compat.v1\n"
        "tf.tpu, tf.contrib.tpu.shard, hasattr(tf, '__wrapped__')\n"
        "assert 'tpuref.names.releases' not in sys.modules\n"
        "hasattr(tf, 'feature_column')\n"
        "assert 'tpuref.names.releases' in sys.modules\n"
    )
    python("-c", script, check=True)


def test_python_has_nothing_to_add():
    done = python("-c", "import tpuref as tf\ntf.tpu.shrad")
    assert done.stderr.splitlines()[-1] == (
        "AttributeError: tpuref has no tf.tpu.shrad (nor has TensorFlow). Did you mean "
        f"tf.tpu.shard? {CODE}"
    )


def test_completion_and_copies_are_as_before():
    assert "explain_missing" not in dir(tf.contrib.tpu)
    assert "Session" in dir(tf) and "feature_column" not in dir(tf)
    assert "cores" in dir(tf.config)
    assert inspect.unwrap(tf.tpu.core) is tf.tpu.core
    assert list(copy.copy(tf.data.Dataset.range(3)).as_numpy_iterator()) == [0, 1, 2]
    with pytest.raises(AttributeError) as raised:
        tf.tpu.shrad  # noqa: B018
    assert str(pickle.loads(pickle.dumps(raised.value))) == str(raised.value)
    assert raised.value.name == "shrad"


@pytest.mark.parametrize(
    ("make", "name", "message"),
    [
        (tf.Session, "partial_run", r"no tf.Session.partial_run \(in Tens"),
        (tf.Session, "rnu", "Did you mean tf.Session.run?"),
        (lambda: tf.data.Dataset.range(3), "window",
         r"no tf.data.Dataset.window \(in "),
        (lambda: tf.data.Dataset.range(3).map(lambda x: x).batch(2), "mpa",
         "Did you mean tf.data.Dataset.map?"),
        (lambda: tf.data.Dataset, "rejection_resample",
         "no tf.data.Dataset.rejection_resample"),
        (lambda: tf.GraphKeys, "CONCATENATED_VARIABLES",
         "no tf.GraphKeys.CONCATENATED_VARI"),
        (lambda: tf.distribute.cluster_resolver.TPUClusterResolver("local"),
         "get_tpu_system_metadata", "TPUClusterResolver.get_tpu_system_met"),
        (lambda: tf.contrib.distribute.OneDeviceStrategy("/device:CPU:0"), "runn",
         "Did you mean .*OneDeviceStrategy.run?"),
        (lambda: tf.distribute.OneDeviceStrategy("/device:CPU:0").extended,
         "experimental_run_steps_on_iterator",
         r"1\.15, and as tf\.compat\.v1.* in 2\.4"),
    ],
)  # fmt: skip
def test_objects_of_public_classes(make, name, message):
    value = make()
    with pytest.raises(AttributeError, match=message):
        getattr(value, name)


def test_a_symbolic_tensor_says_how_to_get_its_value():
    tensor = tf.constant(1.0)
    with pytest.raises(AttributeError, match=r"tf.Session\(\).run\(tensor\)") as raised:
        tensor.numpy()
    assert codes.NO_VALUE_YET in str(raised.value)
    assert not hasattr(tensor, "numpy")
    with tf.eager_execution():
        assert tf.constant(1.0).numpy() == 1.0


def test_what_a_property_raises_is_not_taken_for_a_missing_one():
    class Own(tf.Session):
        @property
        def owner(self):
            raise AttributeError("it has no owner yet")

    with pytest.raises(AttributeError, match="^it has no owner yet$"):
        Own().owner  # noqa: B018
