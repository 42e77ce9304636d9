"""Imports point only downward, and each module imports alone."""

from __future__ import annotations

import ast
import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(importlib.util.find_spec("tpuref").origin).parent  # type: ignore

LAYERS = [
    "version",
    "base",
    "error_catalogue",
    "missing",
    "kernels",
    "configuration",
    "ops",
    "program",
    "runtime",
    "remote",
    "graph",
    "functions",
    "tpu",
    "data",
    "cluster_resolver",
    "distribute",
    "testing",
    "train",
    "profiler",
    "namespaces",
    "compat",
    "contrib",
    "api",
    "porting",
    "benchmarks",
    "cli",
    "__main__",
]
"""From the bottom to the top; a module may import from its own layer and below."""

MODULES = sorted(
    ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts)
    for path in SOURCE.rglob("*.py")
)


def layer_of(module: str) -> str | None:
    parts = module.split(".")
    if parts[0] != "tpuref" or len(parts) < 2 or parts[1] == "__init__":
        return None
    return parts[1]


def imported(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module)
            if node.module == "tpuref":
                found |= {f"tpuref.{alias.name}" for alias in node.names}
    return found


@pytest.mark.parametrize("module", MODULES)
def test_imports_point_downward(module: str) -> None:
    layer = layer_of(module)
    if layer is None:
        return
    path = SOURCE.parent.joinpath(*module.split(".")).with_suffix(".py")
    allowed = LAYERS[: LAYERS.index(layer) + 1]
    above = {
        name
        for name in imported(path)
        if layer_of(name) is not None and layer_of(name) not in allowed
    }
    assert not above, f"{module} imports from layers above {layer}: {sorted(above)}"


def test_every_layer_is_known() -> None:
    assert {layer_of(module) for module in MODULES} - {None} <= set(LAYERS)


PACKAGES = sorted(
    {"tpuref" if m.count(".") < 2 else ".".join(m.split(".")[:2]) for m in MODULES}
)


@pytest.mark.parametrize("package", PACKAGES)
def test_each_module_imports_alone(package: str) -> None:
    if package == "tpuref.remote":
        pytest.importorskip("grpc", reason="needs the extra: pip install tpuref[grpc]")
    inside = [m for m in MODULES if m.startswith(f"{package}.")]
    if package == "tpuref":
        inside = [m for m in inside if m.count(".") < 2]
    names = [m.removesuffix(".__init__") for m in inside if "__main__" not in m]
    names = [name for name in names if not name.startswith("tpuref.kernels.cython")]
    script = (
        "import importlib, os, sys\n"
        "for name in sys.argv[1:]:\n"
        "    child = os.fork()\n"
        "    if child == 0:\n"
        "        try:\n"
        "            importlib.import_module(name)\n"
        "        except BaseException as error:\n"
        "            print(name, repr(error), file=sys.stderr)\n"
        "            os._exit(1)\n"
        "        os._exit(0)\n"
        "    if os.waitpid(child, 0)[1]:\n"
        "        sys.exit(f'{name} does not import alone')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", "import numpy\n" + script, *names],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_importing_tpuref_loads_nothing_but_itself() -> None:
    script = (
        "import sys, tpuref\nprint([m for m in sys.modules if m.startswith('tpuref.')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_lockstep_stays_readable() -> None:
    lines = (SOURCE / "runtime" / "lockstep.py").read_text().splitlines()
    assert len(lines) < 200
