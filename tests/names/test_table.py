"""The table of names: every row holds, and the modules made from it are modules."""

import importlib
import importlib.util
import inspect
import io
import operator
import pickle
import pkgutil
import pydoc
import re
from contextlib import redirect_stdout
from pathlib import Path
from types import ModuleType

import pytest

import tpuref as tf
from tpuref.base.release import behavior
from tpuref.names import table
from tpuref.names.namespace import Namespace, load

from ..pythons import python

ROOT = Path(table.ROOT)
STUBS = sorted([*ROOT.glob("compat/**/*.pyi"), *ROOT.glob("contrib/**/*.pyi")])
SUBPACKAGES = [p for p in ROOT.glob("*/__init__.pyi") if p not in STUBS]


@pytest.mark.parametrize("path", table.namespaces())
def test_every_row_leads_to_a_public_object(path):
    for name in table.names_of(path):
        for home in table.homes(path, name):
            module, _, own = home.partition(":")
            value = load(home)
            if isinstance(value, ModuleType):
                others = ("unittest", "tpuref.tools.")
                assert isinstance(value, Namespace) or module.startswith(others), home
            elif inspect.isclass(value) or inspect.isfunction(value):
                known = (
                    "tpuref.",
                    "absl.",
                    "tensorflow.python.",
                )  # Keras's recognition
                assert value.__module__.startswith(known), home
                assert own[0] != "_" or path.startswith("python"), home


@pytest.mark.parametrize("stub", STUBS, ids=lambda stub: str(stub.relative_to(ROOT)))
def test_a_stub_is_sorted_and_lists_each_name_once(stub):
    docstring, *rows = filter(None, stub.read_text().split("\n"))
    assert docstring.startswith('"""') and docstring.endswith('"""')
    rows = [row for row in rows if not row.endswith("Any")]
    imports = [row for row in rows if row.startswith("from ")]
    aliases = [row for row in rows if not row.startswith("from ")]
    assert rows == sorted(imports) + sorted(aliases)
    stars = [row.split()[1] for row in imports if row.endswith("*")]
    imports = [row for row in imports if not row.endswith("*")]
    imported = [row.split()[-1] for row in imports]
    listed = [row.split()[-1] for row in imports if " as " in row]
    listed += [row.split()[0] for row in aliases]
    assert len({*listed}) == len(listed) and len({*imported}) == len(imported)
    assert {row.split()[-1] for row in aliases} <= {*imported}
    path = ".".join(stub.relative_to(ROOT).with_suffix("").parts)
    shared = {name for one in stars for name in table.stub(one.partition(".")[2])}
    assert shared.isdisjoint(listed)
    assert table.stub(path.removesuffix(".__init__")).keys() == {*listed} | shared


def test_private_rows_are_sorted_and_each_is_once():
    lines = Path(table.PRIVATE).read_text().splitlines()
    rows = [line for line in lines if line and line[0] != "#"]
    assert rows == sorted({*rows})
    keys = []
    for module, home, *names in map(str.split, rows):
        assert isinstance(importlib.import_module(f"tpuref.{module}"), Namespace)
        listed = names[:1] if home == table.ABSENT else names
        keys += [(module, name.partition("=")[0]) for name in listed]
        if names == ["*"] and home != table.ABSENT:
            assert table.is_namespace(home.removeprefix("tf."))
    assert len({*keys}) == len(keys)


def test_editors_see_what_only_the_later_release_has():
    text = (ROOT / "__init__.pyi").read_text()
    explicit = {
        *re.findall(r" as (\w+)$", text, re.M),
        *re.findall(r"^(\w+):", text, re.M),
    }
    first = table.stub("compat.v1").keys()
    assert explicit >= table.stub("compat.v2").keys() - first
    assert explicit | first == table.names_of("")
    for package in SUBPACKAGES:
        name = package.parent.name
        assert package.read_text() == f"from tpuref.compat.v1.{name} import *\n"
        assert table.stub_file(f"compat.v1.{name}")


ONE_NAME = [
    "python.ops.linalg_ops", "python.lib.io.file_io", "core.framework.summary_pb2",
    "core.util.event_pb2", "python.ops.custom_gradient", "compiler.tf2xla",
    "compiler.tf2xla.python.xla", "compiler.xla", "contrib.tpu.proto",
    "contrib.metrics", "contrib.lookup", "contrib.quantize",
    "contrib.cloud", "types", "python.eager", "python.eager.context",
]  # fmt: skip


MODULES = ["tpu", "nn", "compat.v1", "compat.v2.nn", "layers", "contrib.tpu",
           "python.ops.math_ops"]  # fmt: skip


@pytest.mark.parametrize("path", MODULES)
def test_a_namespace_is_a_module(path):
    module = importlib.import_module(f"tpuref.{path}")
    assert dir(module) == sorted(table.names_of(path))
    scope = {}
    exec(f"from tpuref.{path} import *", scope)
    assert scope.keys() - {"__builtins__"} == {*dir(module)}
    spec = importlib.util.find_spec(f"tpuref.{path}")
    assert spec is not None and spec.name == module.__name__
    assert importlib.reload(module) is module
    assert dir(module) == sorted(table.names_of(path))
    with redirect_stdout(io.StringIO()) as shown:
        pydoc.help(module)
    assert f"tpuref.{path}" in shown.getvalue()
    assert not hasattr(module, "__wrapped__")


def test_everything_of_tf_can_be_imported_at_once():
    script = "from tpuref import *\nassert constant and nn.relu and compat.v2.nn"
    python("-c", script, check=True)


@pytest.mark.parametrize(
    "name",
    ["nn.relu", "contrib.tpu.shard", "compat.v1.nn.dropout", "compat.v2.scan",
     "python.ops.math_ops.reduce_mean", "train.exponential_decay"],
)  # fmt: skip
def test_functions_are_those_of_their_modules(name):
    function = operator.attrgetter(name)(tf)
    assert pickle.loads(pickle.dumps(function)) is function
    assert f"def {function.__name__}" in inspect.getsource(function)
    with redirect_stdout(io.StringIO()) as shown:
        pydoc.help(function)
    assert inspect.getdoc(function).splitlines()[0] in shown.getvalue()


def test_modules_are_found_by_walking():
    walked = {m.name for m in pkgutil.walk_packages(tf.__path__, "tpuref.")}
    assert "tpuref.interface.layers" in walked


def test_code_below_a_namespace_does_not_hide_its_names():
    script = (
        "import tpuref.interface.layers.dropout, tpuref as tf\n"
        "from tpuref.interface.layers.dropout import Dropout\n"
        "assert callable(tf.layers.dropout) and tf.layers.Dropout is Dropout\n"
    )
    python("-c", script, check=True)


def test_a_name_that_differs_follows_the_mode(monkeypatch):
    first, second = tf.compat.v1.summary.scalar, tf.compat.v2.summary.scalar
    assert first is not second
    for release, expected in ((1, first), (2, second), (1, first)):
        monkeypatch.setattr(behavior, "release", release)
        assert tf.summary.scalar is expected
    assert "scalar" not in vars(tf.summary)
    assert tf.nn.relu is vars(tf.nn)["relu"]


@pytest.mark.parametrize(
    ("module", "name"),
    [
        *((path, "absent") for path in ONE_NAME),
        ("compiler.tf2xla.ops.gen_xla_ops", "xla_dot"),
        ("contrib.cloud", "BigQueryReader"),
        ("contrib.lookup", "MutableDenseHashTable"),
        ("contrib.metrics", "cohen_kappa"),
        ("contrib.quantize", "create_training_graph"),
        ("contrib.slim", "conv3d"),
        ("contrib.tpu.proto.topology_pb2", "TopologyProto"),
        ("core.framework.types_pb2", "DT_FLOAT"),
        ("python.eager.context", "ensure_initialized"),
        ("python.ops.linalg_ops", "matrix_logarithm"),
    ],
)
def test_a_module_lacks_a_name_and_is_imported(module, name):
    found = importlib.import_module(f"tpuref.{module}")
    assert name not in dir(found)
    with pytest.raises(AttributeError, match=rf"tf\.{module}\.{name} .*TPUREF-E200"):
        getattr(found, name)
    with pytest.raises(ImportError, match="TPUREF-E200"):
        exec(f"from tpuref.{module} import {name}", {})


@pytest.mark.parametrize(
    ("module", "name", "public"),
    [
        ("core.framework.summary_pb2", "Summary", "Summary"),
        ("core.util.event_pb2", "Event", "Event"),
        ("python.lib.io.file_io", "file_exists", "gfile.Exists"),
        ("python.ops.array_ops", "concat", "concat"),  # a row
        ("python.ops.clip_ops", "clip_by_value", "clip_by_value"),  # measured
        ("python.ops.custom_gradient", "custom_gradient", "custom_gradient"),
        ("python.training.training", "Saver", "train.Saver"),
        ("contrib.tpu.python.tpu.tpu_config", "TPUConfig", "estimator.tpu.TPUConfig"),
    ],
)
def test_a_private_name_is_the_public_one(module, name, public):
    found = getattr(importlib.import_module(f"tpuref.{module}"), name)
    assert found is operator.attrgetter(public)(tf.compat.v1)
