"""The mutants that cosmic-ray makes of a module: one small change each.

Left out are changes inside annotations, which are never evaluated.
"""

import ast

from cosmic_ray import plugins
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


class CosmicMutant:
    """One change of one module.

    Attributes
    ----------
    module : str
        Dotted name.
    path : str
        Of the file.
    operator : str
        cosmic-ray's name of the kind of change.
    occurrence : int
        Which of the places in the module that the operator could change.
    line : int
    function : range
        The lines of the innermost function around it; of none, the line itself.
    """

    def __init__(self, module, path, operator, occurrence, line, function):
        self.module = module
        self.path = path
        self.operator = operator
        self.occurrence = occurrence
        self.line = line
        self.function = function

    def sources(self):
        """Return the module's text, and the text with the change.

        Raises
        ------
        Exception
            Of any kind, if cosmic-ray cannot make the change.
        """
        operator = plugins.get_operator(self.operator)()
        with open(self.path, encoding="utf-8") as file:
            source = file.read()
        return source, mutate_code(source, operator, self.occurrence)


def mutants_of(module, path):
    """Return the mutants of one module, in the order of the operators."""
    with open(path, encoding="utf-8") as file:
        source = file.read()
    tree = ast.parse(source)
    unevaluated = _annotations(tree)
    nodes = list(ast_nodes(get_ast(source)))
    found = []
    for name in sorted(plugins.operator_names()):
        operator = plugins.get_operator(name)
        if operator.arguments():
            continue
        places = [p for node in nodes for p in operator().mutation_positions(node)]
        for occurrence, (start, _) in enumerate(places):
            if not any(low <= start < high for low, high in unevaluated):
                around = _function(tree, start[0])
                found.append(
                    CosmicMutant(module, path, name, occurrence, start[0], around)
                )
    return found


def _annotations(tree):
    """Return the extents of the annotations, as pairs of (line, column)."""
    nodes = []
    for node in ast.walk(tree):
        nodes.append(getattr(node, "annotation", None))
        nodes.append(getattr(node, "returns", None))
    return [
        ((node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset))
        for node in nodes
        if isinstance(node, ast.AST)
    ]


def _function(tree, line):
    extents = [
        range(node.lineno, node.end_lineno + 1)
        for node in ast.walk(tree)
        if isinstance(node, _FUNCTIONS)
    ]
    around = [extent for extent in extents if line in extent]
    return min(around, key=len, default=range(line, line + 1))


def changed_line(before, after):
    """Return the first line that a change concerns, as it was and as it became.

    Where a line is left out it became the one after it.
    """
    old, new = before.splitlines(), after.splitlines()
    pairs = zip(old, new, strict=False)
    first = next(
        (at for at, (one, other) in enumerate(pairs) if one != other),
        min(len(old), len(new)),
    )
    return _first_text(old[first:]), _first_text(new[first:])


def _first_text(lines):
    return next((line.strip() for line in lines if line.strip()), "")
