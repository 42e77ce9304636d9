"""Patterns on syntax trees, and what replaces them.

A pattern is an expression, one or more statements, or successive parameters of the
target, such as ``def (name=None)``. Layout, quotes and annotations of parameters do not
count. ``...`` stands for any expression, or in a list (of arguments, elements or
statements) for any number of nodes; the replacement repeats it where these go.
"""

import ast


class Match:
    """Where a pattern matches: nodes of a tree that can be exchanged.

    They are in the ``field`` of the parent, or in the ``span`` of that list;
    ``matched`` has the nodes that each ``...`` of the pattern stands for.
    """

    def __init__(self, parent, field, span, matched):
        self._parent = parent
        self._field = field
        self._span = span
        self._matched = matched

    def replaced(self, replacement, compute):
        """Return ``compute()`` with the replacement in the tree; restore the tree."""
        before = getattr(self._parent, self._field)
        if self._span is None:
            (after,) = replacement.filled(self._matched, before)
        else:
            after = list(before)
            after[self._span] = replacement.filled(
                self._matched, before[self._span.start]
            )
        setattr(self._parent, self._field, after)
        try:
            return compute()
        finally:
            setattr(self._parent, self._field, before)


class Pattern:
    """An expression, statements or parameters, from their text."""

    def __init__(self, text):
        self._is_signature = text.startswith("def (")
        self._text = f"def _{text[4:]}: pass" if self._is_signature else text
        self._nodes = ast.parse(self._text).body
        self._is_expression = [type(node) for node in self._nodes] == [ast.Expr]

    def matches(self, definition, replacement):
        """Return where the pattern matches in a definition.

        That is the parent, field and index of a function, class or assignment; a module
        has no index. An expression that becomes statements matches as a statement.
        """
        parent, field, index = definition
        span = slice(0, None) if index is None else slice(index, index + 1)
        if self._is_signature:
            return self._signatures(getattr(parent, field)[span])
        if self._is_expression and replacement._is_expression:
            patterns, kind = [self._nodes[0].value], ast.expr
        else:
            patterns, kind = self._nodes, ast.stmt
        return [
            Match(*place, matched)
            for place, nodes in _windows(parent, field, span, len(patterns), kind)
            for matched in [[]]
            if all(_matches(*pair, matched) for pair in zip(patterns, nodes))
        ]

    def filled(self, matched, where):
        """Return the nodes, with the matched ones and the line of node ``where``."""
        if self._is_signature:
            texts = matched[0] + _texts(self._nodes[0].args) + matched[1]
            return [ast.parse(f"def _({', '.join(texts)}): pass").body[0].args]
        tree = ast.parse(self._text)
        for node in ast.walk(tree):
            if hasattr(node, "lineno"):
                ast.copy_location(node, where)
        nodes = _Filling(matched).visit(tree).body
        return [nodes[0].value] if isinstance(where, ast.expr) else nodes

    def _signatures(self, nodes):
        wanted = _texts(self._nodes[0].args)
        matches = []
        for function in nodes:
            if not isinstance(function, ast.FunctionDef):
                continue
            texts = _texts(function.args)
            # The pattern ``def ()`` is for functions without parameters.
            starts = len(texts) - len(wanted) + 1 if wanted or not texts else 0
            for start in range(starts):
                end = start + len(wanted)
                if texts[start:end] == wanted:
                    rest = [texts[:start], texts[end:]]
                    matches.append(Match(function, "args", None, rest))
        return matches


class _Filling(ast.NodeTransformer):
    """Puts what was matched in the place of each ``...``."""

    def __init__(self, matched):
        self._matched = iter(matched)

    def _next(self):
        try:
            return next(self._matched)
        except StopIteration:
            raise ValueError("the replacement has more ... than the pattern") from None

    def visit_Expr(self, node):
        return self._next() if _is_any(node) else self.generic_visit(node)

    def visit_Constant(self, node):
        if not _is_any(node):
            return node
        nodes = self._next()
        return nodes[0] if len(nodes) == 1 else nodes

    def visit_Call(self, node):
        self.generic_visit(node)
        arguments = node.args + node.keywords
        node.keywords = [one for one in arguments if isinstance(one, ast.keyword)]
        node.args = [one for one in arguments if one not in node.keywords]
        return node


def _windows(parent, field, span, length, kind):
    """Yield each place of so many successive nodes of a kind, and these nodes."""
    roots = getattr(parent, field)[span]
    yield from _runs(parent, field, roots, length, kind, span.start)
    for root in roots:
        for node in ast.walk(root):
            for name, value in ast.iter_fields(node):
                if isinstance(value, list):
                    yield from _runs(node, name, value, length, kind)
                elif isinstance(value, kind):
                    yield (node, name, None), [value]


def _runs(parent, field, nodes, length, kind, first=0):
    for start in range(len(nodes) - length + 1):
        if isinstance(nodes[start], kind):
            span = slice(first + start, first + start + length)
            yield (parent, field, span), nodes[start : start + length]


def _matches(pattern, node, matched):
    """Return whether a node fits; append to ``matched`` what ``...`` stands for."""
    if isinstance(pattern, list):
        return isinstance(node, list) and _lists_match(pattern, node, matched)
    if not isinstance(pattern, ast.AST):
        return type(pattern) is type(node) and pattern == node
    if _is_any(pattern) and isinstance(node, (ast.expr, ast.stmt)):
        matched.append([node])
        return True
    if type(pattern) is not type(node):
        return False
    if isinstance(pattern, ast.Call):
        return _matches(pattern.func, node.func, matched) and _lists_match(
            pattern.args + pattern.keywords, node.args + node.keywords, matched
        )
    return all(
        _matches(getattr(pattern, field), getattr(node, field), matched)
        for field in pattern._fields
        if field not in ("ctx", "annotation", "returns")
    )


def _lists_match(patterns, nodes, matched):
    if not patterns:
        return not nodes
    if not _is_any(patterns[0]):
        return (
            bool(nodes)
            and _matches(patterns[0], nodes[0], matched)
            and _lists_match(patterns[1:], nodes[1:], matched)
        )
    before = len(matched)
    for length in range(len(nodes) + 1):
        matched.append(nodes[:length])
        if _lists_match(patterns[1:], nodes[length:], matched):
            return True
        del matched[before:]
    return False


def _is_any(node):
    if isinstance(node, ast.Expr):
        node = node.value
    return isinstance(node, ast.Constant) and node.value is Ellipsis


def _texts(arguments):
    """Return the parameters, each as its text without an annotation."""
    positional = arguments.posonlyargs + arguments.args
    missing = [None] * (len(positional) - len(arguments.defaults))
    texts = list(map(_parameter, positional, missing + arguments.defaults))
    if arguments.posonlyargs:
        texts.insert(len(arguments.posonlyargs), "/")
    if arguments.vararg or arguments.kwonlyargs:
        texts.append("*" + (arguments.vararg.arg if arguments.vararg else ""))
    texts += map(_parameter, arguments.kwonlyargs, arguments.kw_defaults)
    return texts + (["**" + arguments.kwarg.arg] if arguments.kwarg else [])


def _parameter(argument, default):
    return argument.arg + (f"={ast.unparse(default)}" if default else "")
