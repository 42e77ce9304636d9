"""Imports point only downward, without circles, and each package imports alone."""

import ast
import importlib.util
import re
from fnmatch import fnmatch
from pathlib import Path
from typing import NamedTuple

import pytest

from tpuref.names import table

from .pythons import python

SOURCE = Path(importlib.util.find_spec("tpuref").origin).parent

LAYERS = [
    "base", "names", "compat", "contrib", "kernels", "engine.configuration",
    "engine.ops", "engine.program", "engine.drawings", "engine.runtime",
    "engine.remote", "engine.graph", "engine.tracing", "engine.differentiation",
    "interface.functions", "interface.gradients", "interface.files",
    "interface.checkpoints", "interface.summary", "interface.layers",
    "interface.losses", "interface.metrics", "interface.profiler", "interface.training",
    "interface.optimizers", "interface.tpu", "interface.data",
    "interface.cluster_resolver", "interface.distribute", "interface.estimator",
    "tools.error_catalogue", "tools.as_tensorflow", "tools.tpu_compiler",
    "tools.testing", "tools.conformance", "tools.porting", "tools.benchmarks",
    "tools.cli", "__main__",
]  # fmt: skip
"""From the bottom to the top; a module may import from its own layer and below."""

MODULES = sorted(
    ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts)
    for path in SOURCE.rglob("*.py")
)


def layer_of(module):
    parts = module.removesuffix(".__init__").split(".")
    storeys = (["engine"], ["interface"], ["tools"])
    if parts[0] != "tpuref" or len(parts) < 2 + (parts[1:2] in storeys):
        return None
    return ".".join(parts[1:3]) if parts[1:2] in storeys else parts[1]


class Import(NamedTuple):
    """One module imports another, perhaps late, in a function, or for types alone."""

    module: str
    imported: str
    late: bool
    for_types: bool


def imports_within(package):
    """Return the imports of all modules of a package."""
    paths = {_dotted(path, package): path for path in package.rglob("*.py")}
    return [
        Import(module, name, late, for_types)
        for module, path in paths.items()
        for node, late, for_types in _statements(ast.parse(path.read_text()))
        for name in _imported(node, module, path, paths)
    ]


def _dotted(path, package):
    name = ".".join(path.relative_to(package.parent).with_suffix("").parts)
    return name.removesuffix(".__init__")


def _statements(node, late=False, for_types=False):
    """Give the import statements below a node, and what stands around them."""
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        yield node, late, for_types
    late = late or isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    checks = isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.expr):
            checked = checks and child not in node.orelse
            yield from _statements(child, late, for_types or checked)


def _imported(node, module, path, known):
    if isinstance(node, ast.Import):
        return {alias.name for alias in node.names}
    source = node.module or ""
    if node.level:
        package = module if path.stem == "__init__" else module.rpartition(".")[0]
        source = importlib.util.resolve_name("." * node.level + source, package)
    names = {alias.name: f"{source}.{alias.name}" for alias in node.names}
    return {name if name in known else source for name in names.values()}


@pytest.fixture(scope="module")
def imports():
    return imports_within(SOURCE)


def test_imports_point_downward(imports):
    upward = [
        f"{one.module} imports {one.imported}"
        for one in imports
        if (layer := layer_of(one.module)) is not None
        and layer_of(one.imported) in LAYERS[LAYERS.index(layer) + 1 :]
    ]
    assert not upward, "\n".join(upward)


def test_every_layer_is_known():
    assert {layer_of(module) for module in MODULES} - {None} <= set(LAYERS)


PACKAGES = sorted(
    {f"tpuref.{layer_of(m)}" for m in MODULES if layer_of(m)} - {"tpuref.__main__"}
)


def output_of(script, *arguments):
    done = python("-W", "ignore", "-c", script, *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("package", PACKAGES)
def test_each_package_imports_alone(package):
    """Without circles its modules then import in any order."""
    output_of(f"import {package}")


def test_importing_tpuref_loads_nothing_but_itself():
    loaded = output_of("import sys, tpuref\nprint(*sys.modules)").split()
    assert [name for name in loaded if name.startswith("tpuref.")] == []


def test_a_public_name_loads_only_what_it_needs():
    names = "tf.Session, tf.layers.dense, tf.nn.relu, tf.tpu.shard, tf.data.Dataset"
    script = f"import sys, tpuref as tf\n{names}, tf.train.AdamOptimizer"
    loaded = {*output_of(f"{script}\nprint(*sys.modules)").split()}
    assert not {"asyncio", "gzip", "http.client", "ssl", "unittest.mock"} & loaded
    unused = {f"interface.{name}" for name in ("estimator", "metrics", "optimizers")}
    assert not unused & {layer_of(name) for name in loaded}


def test_a_core_loads_no_graphs_drawings_or_gradients():
    worker = "tpuref.engine.runtime.pool.process.worker"
    modules = output_of(f"import sys, {worker}\nprint(*sys.modules)")
    loaded = {layer_of(name) for name in modules.split()}
    above = LAYERS[LAYERS.index("engine.runtime") + 1 :]
    assert "engine.runtime" in loaded
    assert not loaded & {"engine.drawings", *above}
    assert "tpuref.engine.ops.derivatives" not in modules


LATE_IMPORTS = {
    # optional dependencies
    ("tpuref.tools.benchmarks.peers.*", "*"): "the peer that is measured",
    ("tpuref.interface.functions.image_files", "PIL"): "optional",
    ("tpuref.interface.functions.image_files", "PIL.*"): "optional",
    ("tpuref.tools.cli", "argcomplete"): "only while a shell completes",
    ("tpuref.tools.cli.completion", "argcomplete"): "only one command needs it",
    ("tpuref.tools.cli.conformance", "tpuref_conformance"): "a distribution of its own",
    (
        "tpuref.interface.cluster_resolver.server",
        "tpuref.engine.remote.server",
    ): "needs gRPC",
    ("tpuref.engine.graph.target", "tpuref.engine.remote.session"): "needs gRPC",
    # start-up time
    ("tpuref.tools.cli.*", "tpuref*"): (
        "tpuref --help and completion take 0.1 s, and 0.5 s with all of these"
    ),
    ("tpuref.interface.cluster_resolver.metadata", "http.client"): (
        "40 ms at the start of each program, for email and ssl"
    ),
    ("tpuref.engine.runtime.pool.arena", "tempfile"): "5 ms at the start of each core",
    ("tpuref.engine.runtime.executor", "tpuref.engine.runtime.pool.host.pool"): (
        "25 ms at the start of each program that does not use the pool"
    ),
    (
        "tpuref.engine.runtime.executor",
        "tpuref.engine.runtime.xla.executor",
    ): "needs JAX",
    ("tpuref.tools.tpu_compiler.*", "tpuref.engine.runtime.xla.*"): "needs JAX",
    ("tpuref.tools.testing.tpu_marker", "tpuref.tools.tpu_compiler.targets"): (
        "needed by few tests"
    ),
    ("tpuref.engine.runtime.hosts.here", "tpuref.engine.runtime.hosts.*"): (
        "10 ms at the start of each program, for subprocess and sockets"
    ),
    ("tpuref.tools.testing.pytest_plugin", "tpuref.*"): (
        "pytest loads the plugin in every run: 0.3 s for those without a tpu mark"
    ),
}
"""Which module may import what inside a function, and why; ``*`` stands for any."""


def circles(imports):
    """Return the modules that import each other, directly or through others."""
    direct = {}
    for one in imports:
        if not one.for_types and one.imported != one.module:
            direct.setdefault(one.module, set()).add(one.imported)
    reached = {module: _reached(module, direct) for module in direct}
    found = {
        frozenset(other for other in below if module in reached.get(other, ()))
        for module, below in reached.items()
        if module in below
    }
    return sorted(map(sorted, found))


def _reached(module, direct):
    reached = set()
    pending = [module]
    while pending:
        new = direct.get(pending.pop(), set()) - reached
        reached |= new
        pending += new
    return reached


def late_imports(imports, allowed):
    """Return the imports inside functions that are not allowed, and unused leave."""
    unlisted, unused = set(), set(allowed)
    for module, imported, late, for_types in imports:
        if late and not for_types:
            leave = {
                (importer, names)
                for importer, names in allowed
                if fnmatch(module, importer) and fnmatch(imported, names)
            }
            unused -= leave
            if not leave:
                unlisted.add((module, imported))
    return unlisted, unused


def test_no_modules_import_each_other(imports):
    assert not (found := circles(imports)), "\n".join(map(", ".join, found))


TYPED_CIRCLES = {
    ("tpuref.engine.graph.operators", "tpuref.engine.graph.tensor"): "the base class",
    ("tpuref.engine.graph.region", "tpuref.engine.graph.tensor"): "holds operations",
    ("tpuref.engine.graph.tensor", "tpuref.engine.graph.graph"): "its graph",
    ("tpuref.engine.graph.context", "tpuref.engine.graph.graph"): "the default graph",
    ("tpuref.engine.graph.context", "tpuref.engine.graph.recorder"): "the tapes",
    ("tpuref.engine.graph.recorder", "tpuref.engine.graph.variables"):
     "they are watched",
    ("tpuref.interface.distribute.place", "tpuref.interface.distribute.core"):
     "strategy",
    ("tpuref.interface.distribute.place", "tpuref.interface.distribute.member"):
     "member",
    ("tpuref.interface.distribute.member", "tpuref.interface.distribute.core"):
     "strategy",
    ("tpuref.interface.distribute.replicas.extended",
     "tpuref.interface.distribute.replicas.strategy"): "a public property",
}  # fmt: skip
"""The imports for types alone that close a circle: objects that hold each other."""


def test_imports_for_types_close_no_other_circle(imports):
    edges = {(one.module, one.imported) for one in imports if one.for_types}
    assert edges >= TYPED_CIRCLES.keys(), "nothing needs these any more"
    rest = [
        one._replace(for_types=False)
        for one in imports
        if not (one.for_types and (one.module, one.imported) in TYPED_CIRCLES)
    ]
    assert not (found := circles(rest)), "\n".join(map(", ".join, found))


REGISTRATIONS = {"engine/graph/builder.py", "interface/training/distribution.py"}
"""The modules into which an upper module puts what they call."""


def test_registrations_are_listed():
    found = {
        str(path.relative_to(SOURCE))
        for path in SOURCE.rglob("*.py")
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.FunctionDef) and node.name == "register"
    }
    assert found == REGISTRATIONS


def test_lockstep_has_one_door(imports):
    inside = {"engine.runtime.meaning.lockstep", "engine.runtime.meaning.host_program"}
    callers = {
        one.module
        for one in imports
        if one.imported.removeprefix("tpuref.") in inside
        and layer_of(one.module) != "engine.runtime"
    }
    assert callers == set(), "use tpuref.engine.runtime.host"


def test_imports_inside_functions_have_a_reason(imports):
    unlisted, unused = late_imports(imports, LATE_IMPORTS)
    assert not unlisted, "import them at the top, or say why not in LATE_IMPORTS"
    assert not unused, "nothing needs these any more"


@pytest.fixture
def made(tmp_path):
    """A package with a circle of three, a pair within it, and imports for types."""
    modules = {
        "__init__": "from made.low import x",
        "low": "from __future__ import annotations\nimport json",
        "a": "from made import b, low\ndef f():\n    import json",
        "b": "class B:\n    def f(self):\n        from made.inner.c import g",
        "inner.__init__": "",
        "inner.c": "try:\n    from ..a import f\nexcept ImportError:\n    pass",
        "types_a": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n"
        "    from made.types_b import B\nelse:\n    from made.low import B",
        "types_b": "from made.types_a import A\ntext = 'from made import types_b'",
    }
    package = tmp_path / "made"
    for name, text in modules.items():
        path = package.joinpath(*name.split(".")).with_suffix(".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return package


def test_a_planted_circle_is_found(made):
    assert circles(imports_within(made)) == [["made.a", "made.b", "made.inner.c"]]
    (made / "b.py").write_text("")
    assert circles(imports_within(made)) == []
    (made / "low.py").write_text("def f():\n    from made import types_b")
    (made / "types_a.py").write_text("import made.low")
    assert circles(imports_within(made)) == [
        ["made.low", "made.types_a", "made.types_b"]
    ]


def test_a_planted_import_inside_a_function_is_found(made):
    imports = imports_within(made)
    late = {("made.a", "json"), ("made.b", "made.inner.c")}
    assert late_imports(imports, []) == (late, set())
    assert late_imports(imports, [("made.*", "*")]) == (set(), set())
    listed = [("made.a", "json"), ("made.a", "made.*")]
    assert late_imports(imports, listed) == (late - {listed[0]}, {listed[1]})


ALONE = """
import importlib, os, sys
import numpy as np
import tpuref.engine.graph, tpuref.engine.ops.derivatives.rules
import tpuref.engine.runtime.system

assert not any(name.startswith("tpuref.interface") for name in sys.modules)

def use(module):
    x = module.placeholder_with_default(np.float32([1.0, 4.0, 9.0]), [3])
    roots = np.sum(np.sqrt(x) * np.float32(2))
    from tpuref.engine.differentiation.gradients import gradients
    from tpuref.engine.graph.build import apply
    from tpuref.engine.graph.convert import convert_to_tensor
    from tpuref.engine.graph.session import Session

    begin = apply("Placeholder", dtype="int32", shape=(1,))
    part = apply("Slice", x, begin, convert_to_tensor([2]))
    (gradient,) = gradients(part, x)
    with Session() as session:
        assert session.run(roots) == 12.0
        assert session.run(gradient, {begin: [1]}).tolist() == [0.0, 1.0, 1.0]

for name in sys.argv[1:]:
    child = os.fork()
    if not child:
        try:
            use(importlib.import_module(name))
        except BaseException as error:
            print(name, type(error).__name__, error)
        sys.stdout.flush()
        os._exit(0)
    os.waitpid(child, 0)
"""


def test_public_modules_work_alone():
    """NumPy's functions and gradients work, whichever module made the tensors."""
    modules = [
        f"tpuref.{path}".rstrip(".")
        for path in table.namespaces()
        if "placeholder" in table.names_of(path)
    ]
    assert {"tpuref", "tpuref.compat.v1"} <= {*modules}
    assert output_of(ALONE, *modules) == ""


def test_lockstep_stays_readable():
    lines = (SOURCE / "engine/runtime/meaning/lockstep.py").read_text().splitlines()
    assert len(lines) < 200


def test_each_folder_of_tests_is_explained():
    tests = Path(__file__).parent
    text = (tests / "README.md").read_text("utf-8")
    packages = {layer.rpartition(".")[2] for layer in LAYERS}
    folders = {path.parent.name for path in tests.glob("*/*.py")} - packages
    assert [one for one in sorted(folders) if f"| `{one}` |" not in text] == []


def test_the_map_has_every_folder():
    root = Path(__file__).parents[1]
    text = (root / "CONTRIBUTING.md").read_text("utf-8")
    rows = [line for line in text.splitlines() if line.startswith("| `")]
    folders = set(re.findall(r"`([\w/]+)`", "".join(row.split("|")[1] for row in rows)))
    parts = {p.parent for p in SOURCE.glob("*/*/__init__.py")} - {SOURCE / "kernels"}
    parts |= {p.parent for p in SOURCE.glob("*/__init__.py")}
    shown = {path.relative_to(SOURCE).as_posix() for path in parts}
    shown -= {"engine", "interface", "tools"}
    shown -= {
        name for name in shown if name.startswith(("kernels/", "compat/", "contrib/"))
    }
    for top in ("conformance", "maintenance"):
        shown |= {
            f"{top}/{path.parent.name}" for path in (root / top).glob("[!_]*/[!_]*.*")
        }
    others = {"tests", "docs", "changes", "typings", "examples", "benchmarks"}
    assert folders == shown | others | {"conformance/clauses"}
