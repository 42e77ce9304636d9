"""Writes one clause as a script of its own, to be pasted into a file and run.

The script holds the source of the check and of everything from the suite that the
check uses; it needs the subject and NumPy, not the suite.
"""

import ast
import functools
import importlib
import inspect
import re

from . import subject as subject_module

_REGISTRATIONS = ("clause", "function_clause")
_INDENT = "    "


@functools.lru_cache(maxsize=None)
class _Module:
    """The definitions at the top level of one module of the suite."""

    def __init__(self, name):
        self.name = name
        self.module = importlib.import_module(name)
        self.source = inspect.getsource(self.module)
        self.lines = self.source.splitlines()
        self.defined = {}
        for node in ast.parse(self.source).body:
            for name in _names_defined_by(node):
                self.defined.setdefault(name, node)

    def text(self, node):
        """Return the source of ``node``, without the decorators that register."""
        decorators = [
            "@" + ast.get_source_segment(self.source, one)
            for one in getattr(node, "decorator_list", ())
            if not _registers(one)
        ]
        return "\n".join(
            decorators + self.lines[node.lineno - 1 : node.end_lineno]
        ).rstrip()


def _names_defined_by(node):
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return [node.name]
    if isinstance(node, ast.Assign):
        return [
            name.id
            for target in node.targets
            for name in ast.walk(target)
            if isinstance(name, ast.Name)
        ]
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return [(one.asname or one.name).split(".")[0] for one in node.names]
    return []


def _registers(decorator):
    function = getattr(decorator, "func", None)
    name = getattr(function, "id", None) or getattr(function, "attr", None)
    return name in _REGISTRATIONS or (name or "").endswith("_clause")


class _Script:
    """Collects imports and definitions, each after those that it uses."""

    def __init__(self, api):
        self._api = api
        self._written = {}
        self.imports = []
        self.definitions = []

    def add(self, module_name, name):
        """Write the definition of ``name`` as its module sees it; return its name."""
        module = _Module(module_name)
        node = module.defined.get(name)
        if node is None:
            return name  # a builtin
        if isinstance(node, ast.ImportFrom) and node.level:
            return self._add_relative(module, node, name)
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            self._add_import(node, name)
            return name
        key = (module_name, name)
        if key not in self._written:
            self._written[key] = self._free(name)
            self._add_definition(module, node, name)
        return self._written[key]

    def _free(self, name):
        """Return ``name``, or with a number if another module took it."""
        taken, free, number = set(self._written.values()), name, 1
        while free in taken:
            number += 1
            free = f"{name}_{number}"
        return free

    def _add_import(self, node, name):
        (alias,) = [
            one for one in node.names if (one.asname or one.name).split(".")[0] == name
        ]
        text = alias.name + (f" as {alias.asname}" if alias.asname else "")
        if isinstance(node, ast.ImportFrom):
            text = f"from {node.module} import {text}"
        else:
            text = f"import {text}"
        if text not in self.imports:
            self.imports.append(text)

    def _add_relative(self, module, node, name):
        (alias,) = [one for one in node.names if (one.asname or one.name) == name]
        return self.add(_absolute(module.name, node), alias.name)

    def _add_definition(self, module, node, name):
        if name == "_CHECKS":
            self._add_checks(module)
            return
        text = module.text(node)
        for used in sorted(_names_used_by(node)):
            text = self._with_name(module, text, used)
        written = self._written[(module.name, name)]
        if written != name:
            text = re.sub(rf"(?<![\w.'\"]){name}\b", written, text)
        self.definitions.append(text)

    def _with_name(self, module, text, used):
        suite_module = _suite_module(module, used)
        if suite_module is None:
            written = self.add(module.name, used)
            if written != used:
                text = re.sub(rf"(?<![\w.'\"]){used}\b", written, text)
            return text

        def replace(match):
            return self.add(suite_module, match.group(1))

        return re.sub(rf"(?<![\w.]){used}\.(\w+)", replace, text)

    def _add_checks(self, module):
        """Write the table of the checks, as far as this clause needs it."""
        key = self._api.replace("_dyn", "")
        checks = module.module._CHECKS[key]
        names = [self.add(one.__module__, one.__name__) for one in checks]
        listed = "".join(f"{_INDENT * 2}{name},\n" for name in names)
        self.definitions.append(
            f"_CHECKS = {{\n{_INDENT}{key!r}: [\n{listed}{_INDENT}]\n}}"
        )


def _names_used_by(node):
    """Return the names in ``node``, but for the decorators that register."""
    left_out = {
        id(part)
        for decorator in getattr(node, "decorator_list", ())
        if _registers(decorator)
        for part in ast.walk(decorator)
    }
    return {
        one.id
        for one in ast.walk(node)
        if isinstance(one, ast.Name) and id(one) not in left_out
    }


def _absolute(module_name, node):
    """Return the full name of the module that a relative import names."""
    parts = module_name.split(".")
    base = parts[: len(parts) - node.level]
    return ".".join(base + ([node.module] if node.module else []))


def _suite_module(module, name):
    """Return the full name of the suite's module that ``name`` stands for, or None."""
    node = module.defined.get(name)
    if not isinstance(node, ast.ImportFrom) or not node.level:
        return None
    value = getattr(module.module, name, None)
    return value.__name__ if inspect.ismodule(value) else None


def snippet(clause, module="tpuref", settings=None, served=False, described=None):
    """Return a script that runs the check of ``clause`` on ``module``.

    ``settings`` are environment variables of the subject, ``described`` is the path of
    its subject file; the sessions of one that is ``served`` are on a server.
    """
    check = inspect.unwrap(clause.check)
    script = _Script(clause.api)
    name = script.add(check.__module__, check.__name__)
    loaded = _load(script, module, described)
    surroundings = _surroundings(script, module, served)
    lines = [f"# {clause.id}", f"# {clause.says}"]
    if settings:
        lines += ["import os", ""]
        lines += [
            f"os.environ[{key!r}] = {settings[key]!r}" for key in sorted(settings)
        ]
    lines += sorted(script.imports)
    for definition in script.definitions:
        lines += ["", "", definition]
    lines += ["", "", loaded, "", f"with {surroundings}:"]
    lines += _call(clause, name)
    return "\n".join(lines) + "\n"


def _load(script, module, described):
    """Return the line that binds ``tf``."""
    if described is not None:
        name = script.add(subject_module.__name__, "load")
        return f"tf = {name}({module!r}, {described!r})"
    if module == "tensorflow":
        name = script.add(subject_module.__name__, "load")
        return f'tf = {name}("tensorflow")'
    return f"import {module} as tf"


def _surroundings(script, module, served):
    """Return what the check runs in, as the runner has it."""
    graph = "tf.Graph().as_default()"
    if module not in (subject_module.DEFAULT_SUBJECT, "tensorflow"):
        graph = script.add(subject_module.__name__, "fresh_graph") + "(tf)"
    if not served:
        return graph
    server = script.add(subject_module.__name__, "sessions_on_a_server")
    return f"{server}(tf), {graph}"


def _call(clause, name):
    about = getattr(clause.check, "about", None)
    arguments = "tf" if about is None else f"tf, {about}"
    return [f"{_INDENT}{name}({arguments})", f"print({clause.id + ': pass'!r})"]
