"""One deliberately wrong variant of tpuref."""

import ast
import functools
import os
import re


class Misfit(Exception):
    """The source does not have what a mutant changes, or has it more than once."""


class Mutant:
    """A small change that makes tpuref contradict a statement.

    Attributes
    ----------
    name : str
    says : str
        What is wrong.
    clause : str
        The clause that must notice.
    function : str
        The end of the full name of the function, class, variable or module that is
        changed, as much of it as tells it from others: ``shard``, ``Topology.tasks``,
        ``padding.LIMIT``. The module that has it may move.
    old, new : str
        The text that is replaced, which the function has exactly once, however it is
        broken into lines.
    """

    def __init__(self, name, says, clause, function, old, new):
        self.name = name
        self.says = says
        self.clause = clause
        self.function = function
        self.old = old
        self.new = new

    def changed(self, package):
        """Return the path of the changed file in ``package``, and its text.

        Raises
        ------
        Misfit
            If the function, or the text in it, is not there exactly once.
        """
        places = [
            place
            for name, places in _definitions(package).items()
            for place in places
            if ("." + name).endswith("." + self.function)
        ]
        if not places:
            raise Misfit(f"{self.name}: nothing is called {self.function}")
        pattern = _pattern(self.old)
        found = {
            (path, *match.span())
            for path, start, end in places
            for match in pattern.finditer(_source(path), start, end)
        }
        if len(found) != 1:
            files = sorted({os.path.relpath(path, package) for path, _, _ in places})
            raise Misfit(
                f"{self.name}: {self.function}, in {', '.join(files)}, has the text "
                f"{self.old!r} {len(found)} times"
            )
        ((path, start, end),) = found
        source = _source(path)
        text = source[:start] + self.new + source[end:]
        try:
            compile(text, path, "exec")
        except SyntaxError as error:
            raise Misfit(f"{self.name}: {error}") from error
        return path, text


def _pattern(text):
    """Return an expression for ``text`` with any white space and line breaks."""
    parts = re.findall(r"\w+|[^\w\s]", text)
    pattern = r"\b" if parts[0].isidentifier() else ""
    for part, following in zip(parts, [*parts[1:], None], strict=True):
        pattern += re.escape(part)
        if following is None:
            pattern += r"(?!\w)" if part[-1].isalnum() else ""
        elif following in ")]}" and part != ",":
            pattern += r"\s*,?\s*"
        else:
            pattern += r"\s*"
    return re.compile(pattern)


@functools.cache
def _source(path):
    with open(path, encoding="utf-8") as stream:
        return stream.read()


@functools.cache
def _definitions(package):
    """Return a dict from full names to the places that define them.

    A place is a path, and where the text of the definition begins and ends.
    """
    found = {}
    for directory, _, files in os.walk(package):
        for file in files:
            if file.endswith(".py"):
                path = os.path.join(directory, file)
                module = os.path.relpath(path, os.path.dirname(package))[:-3]
                prefix = module.replace(os.sep, ".").removesuffix(".__init__")
                lines = [0]
                for line in _source(path).splitlines(keepends=True):
                    lines.append(lines[-1] + len(line))
                found.setdefault(prefix, []).append((path, 0, lines[-1]))
                for name, node in _named(ast.parse(_source(path)), prefix):
                    first = getattr(node, "decorator_list", [])[:1] or [node]
                    place = (path, lines[first[0].lineno - 1], lines[node.end_lineno])
                    found.setdefault(name, []).append(place)
    return found


def _named(tree, prefix, local=False):
    """Yield the full name and the node of each definition, but for local variables."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            name = f"{prefix}.{node.name}"
            yield name, node
            yield from _named(node, name, isinstance(node, ast.FunctionDef))
        elif isinstance(node, ast.Assign | ast.AnnAssign) and not local:
            for target in ast.walk(node):
                if isinstance(target, ast.Name) and isinstance(target.ctx, ast.Store):
                    yield f"{prefix}.{target.id}", node
        else:
            yield from _named(node, prefix, local)
