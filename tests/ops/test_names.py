"""What is asked of an operation is asked of its record, never of its name."""

import ast
import importlib
import importlib.util
from pathlib import Path

import pytest

from tpuref.engine.ops.definition import OpDef
from tpuref.engine.ops.registry import REGISTRY

SOURCE = Path(importlib.util.find_spec("tpuref").origin).parent

TABLES = {
    "interface/functions/numpy_math.py": "NumPy's functions, and their operations",
    "engine/runtime/xla/totals.py": "operations that sum over replicas as one",
    "tools/tpu_compiler/lowering.py": "products, which a TPU multiplies as bfloat16",
    **{
        f"engine/runtime/xla/rules/{family}.py": "operations in JAX, kept out of ops"
        for family in (
            *("arrays", "elementwise", "images", "indexing", "sorting", "sums"),
            *("tensor_arrays", "control", "replicas", "variables", "segments"),
        )
    },
}
"""Modules that may list names, each with its reason."""


def listed(source):
    """The lines that compare with the name of an operation, or collect such names.

    A name may be handed to the function that builds the operation, and be the default
    of an operation's own name.  ``__all__`` lists functions.
    """
    tree = ast.parse(source)
    exported = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
        for part in ast.walk(node.value)
    }
    return [
        (part.lineno, part.value)
        for node in ast.walk(tree)
        if isinstance(
            node, (ast.Compare, ast.Set, ast.List, ast.Tuple, ast.Dict, ast.Subscript)
        )
        for part in ast.iter_child_nodes(node)
        if isinstance(part, ast.Constant)
        and isinstance(part.value, str)
        and part.value in REGISTRY
        and id(part) not in exported
    ]


@pytest.mark.parametrize(
    "path",
    [path for path in sorted(SOURCE.rglob("*.py")) if "ops" not in path.parts],
    ids=lambda path: str(path.relative_to(SOURCE)),
)
def test_no_name_of_an_operation_stands_outside(path):
    found = listed(path.read_text())
    if str(path.relative_to(SOURCE)) in TABLES:
        assert found, "it lists no names any more: take it off the list"
        return
    assert not found, f"ask the record (operation.definition) instead of {found}"


@pytest.mark.parametrize(
    "breach",
    [
        "if instr.op == 'Assign': pass",
        "WRITES = frozenset({'Assign', 'AssignAdd'})",
        "KINDS = ('CrossReplicaSum',)",
        "definition = REGISTRY['Const']",
        "PARTS = {'If': 2}",
    ],
)
def test_a_breach_is_found(breach):
    assert listed(breach)


def test_what_builds_an_operation_names_it():
    assert not listed("apply('Assign', value, name=name or 'Assign')")
    assert not listed("__all__ = ['Assert', 'Print']")


def _is_record(value: object) -> bool:
    several = value if isinstance(value, (tuple, list, set, frozenset, dict)) else ()
    return isinstance(value, OpDef) or any(isinstance(each, OpDef) for each in several)


@pytest.mark.parametrize("folder", ["runtime", "remote", "drawings"])
def test_executors_compare_with_no_record(folder: str) -> None:
    found = {
        (path.name, alias.name)
        for path in (SOURCE / "engine" / folder).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom)
        and (node.module or "").startswith("tpuref.engine.ops.")
        for alias in node.names
        if _is_record(getattr(importlib.import_module(node.module or ""), alias.name))
    }
    built = {("variables.py", name) for name in ("ASSIGN", "IS_INITIALIZED", "READ")}
    assert found == (built if folder == "remote" else set())
