"""One deliberately wrong variant of tpuref."""

import ast
import functools
import os

from .pattern import Pattern


class Misfit(Exception):
    """The source does not have what a mutant changes, or has it more than once."""


class Mutant:
    """A small change that makes tpuref contradict a statement.

    ``clauses`` are those that must notice, each of them; ``FILE::TEST`` names a test,
    for a variant that breaks only a promise of ours. ``target`` is the end of the full
    name of the function, class, variable or module that is changed, as much of it as
    tells it from others (``shard``, ``Topology.tasks``); the module that has it may
    move. It has the pattern ``was`` exactly once, which ``becomes`` replaces (see
    ``pattern``).
    """

    def __init__(self, name, says, clauses, target, was, becomes):
        self.name = name
        self.says = says
        self.clauses = clauses
        self.target = target
        self.was = was
        self.becomes = becomes

    def changed(self, package):
        """Return the path of the changed file in ``package``, and its code.

        Raise Misfit if the target, or the pattern in it, is not there exactly once.
        """
        definitions = [
            (path, place)
            for name, places in _definitions(package).items()
            if ("." + name).endswith("." + self.target)
            for path, place in places
        ]
        if not definitions:
            raise Misfit(f"nothing is called {self.target}")
        try:
            was, becomes = Pattern(self.was), Pattern(self.becomes)
            matches = [
                (path, match)
                for path, place in definitions
                for match in was.matches(place, becomes)
            ]
            if len(matches) == 1:
                ((path, match),) = matches
                return path, match.replaced(
                    becomes, lambda: compile(_tree(path), path, "exec")
                )
        except (SyntaxError, TypeError, ValueError) as error:
            raise Misfit(f"{self.target}: {error}") from error
        files = sorted({os.path.relpath(path, package) for path, _ in definitions})
        raise Misfit(
            f"{self.target}, in {', '.join(files)}, has {self.was!r} "
            f"{len(matches)} times"
        )


@functools.cache
def _tree(path):
    with open(path, encoding="utf-8") as stream:
        return ast.parse(stream.read())


@functools.cache
def _definitions(package):
    """Return a dict from full names to the places that define them.

    A place is a path, and where its tree has the definition: parent, field and index.
    """
    found = {}
    for directory, _, files in os.walk(package):
        for file in files:
            if file.endswith(".py"):
                path = os.path.join(directory, file)
                module = os.path.relpath(path, os.path.dirname(package))[:-3]
                prefix = module.replace(os.sep, ".").removesuffix(".__init__")
                found.setdefault(prefix, []).append((path, (_tree(path), "body", None)))
                for name, place in _named(_tree(path), prefix):
                    found.setdefault(name, []).append((path, place))
    return found


def _named(parent, prefix, local=False):
    """Yield the full name and the place of each definition.

    Left out are local variables, and signatures for type checkers.
    """
    for field, nodes in ast.iter_fields(parent):
        for index, node in enumerate(nodes if isinstance(nodes, list) else ()):
            place = (parent, field, index)
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                if all(ast.unparse(one) != "overload" for one in node.decorator_list):
                    name = f"{prefix}.{node.name}"
                    yield name, place
                    yield from _named(node, name, isinstance(node, ast.FunctionDef))
            elif isinstance(node, (ast.Assign, ast.AnnAssign)) and not local:
                for name in _assigned(node):
                    yield f"{prefix}.{name}", place
            elif isinstance(node, ast.stmt):
                yield from _named(node, prefix, local)


def _assigned(statement):
    nodes = [one for one in ast.walk(statement) if isinstance(one, ast.Name)]
    return [one.id for one in nodes if isinstance(one.ctx, ast.Store)]
