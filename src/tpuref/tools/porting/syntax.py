"""The names that a program takes from ``tf``, by its syntax tree."""

import ast
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from tpuref.tools.porting.scope import Scope, Take, below_tf, joined

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class SyntaxReader(ast.NodeVisitor):
    """Reads a module, or the cells of a notebook in order, and takes each name."""

    def __init__(self, scope: Scope, take: Take) -> None:
        self._scope = scope
        self._take = take
        self._perhaps = False  # within a branch, a loop or a handler
        self._bodies: list[tuple[Scope, Sequence[ast.AST]]] = []

    def read(self, tree: ast.Module) -> None:
        """Read a tree; bodies of functions last, because calls run them later."""
        self.generic_visit(tree)
        while self._bodies:
            scope, body = self._bodies.pop(0)
            with self._within(scope):
                self._visit_all(body)

    @contextmanager
    def _within(self, scope: Scope) -> Iterator[None]:
        outside = self._scope, self._perhaps
        self._scope, self._perhaps = scope, False
        yield
        self._scope, self._perhaps = outside

    def _visit_all(self, nodes: Sequence[ast.AST | None]) -> None:
        for node in nodes:
            if node is not None:
                self.visit(node)

    # -- names -----------------------------------------------------------------

    def _path(self, node: ast.AST) -> str | None:
        """Return the path below ``tf`` of a chain of attributes, or None."""
        if isinstance(node, ast.Name):
            return self._scope.path(node.id)
        if isinstance(node, ast.Attribute):
            path = self._path(node.value)
            return None if path is None else joined(path, node.attr)
        return None

    def _root(self, node: ast.AST) -> str:
        """Return the path that the first name of a chain of attributes is bound to."""
        while isinstance(node, ast.Attribute):
            node = node.value
        return self._path(node) or ""

    def visit_Attribute(self, node: ast.Attribute) -> None:
        """Take the whole chain where it begins at ``tf``."""
        path = self._path(node)
        if path is None:
            self.visit(node.value)
        elif isinstance(node.ctx, ast.Load):
            self._take(path, node.lineno, self._root(node))

    def visit_Name(self, node: ast.Name) -> None:
        """Take a name that an import of everything binds, or bind one anew."""
        if not isinstance(node.ctx, ast.Load):
            self._bind(node.id, None)
        elif (path := self._scope.starred(node.id)) is not None:
            self._take(path, node.lineno, "")

    def _bind(self, name: str, path: str | None) -> None:
        self._scope.bind(name, path, perhaps=self._perhaps)

    # -- bindings ---------------------------------------------------------------

    def visit_Import(self, node: ast.Import) -> None:
        """Bind the modules of TensorFlow, and take those below ``tf``."""
        for alias in node.names:
            first = alias.name.partition(".")[0]
            path = below_tf(alias.name)
            if path:
                self._take(path, node.lineno, "")
            self._bind(alias.asname or first, path if alias.asname else below_tf(first))

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        """Take the names that are imported from TensorFlow, and bind them."""
        module = None if node.level else below_tf(node.module or "")
        for alias in node.names:
            if alias.name == "*":
                if module is not None:
                    self._scope.bind_all(module)
            elif module is None:
                self._bind(alias.asname or alias.name, None)
            else:
                path = joined(module, alias.name)
                self._take(path, alias.lineno, "")
                self._bind(alias.asname or alias.name, path)

    def visit_Assign(self, node: ast.Assign) -> None:
        """Bind the targets; ``tpu = tf.contrib.tpu`` binds a name to a path."""
        self.visit(node.value)
        for target in node.targets:
            self._assign(target, node.value)

    def _assign(self, target: ast.AST, value: ast.AST) -> None:
        if (
            isinstance(target, ast.Tuple)
            and isinstance(value, ast.Tuple)
            and len(target.elts) == len(value.elts)
        ):
            for one, its_value in zip(target.elts, value.elts, strict=True):
                self._assign(one, its_value)
        elif isinstance(target, ast.Name):
            self._bind(target.id, self._path(value))
        else:
            self.visit(target)

    def visit_Global(self, node: ast.Global) -> None:
        """Bind these names in the module from here on."""
        self._scope.of_module.update(node.names)

    def visit_FunctionDef(self, node: Function) -> None:
        """Read decorators and defaults now, and the body at the end."""
        if not isinstance(node, ast.Lambda):
            self._visit_all(node.decorator_list)
            self._visit_all([node.returns])
            self._bind(node.name, None)
        given = node.args
        every = [*given.posonlyargs, *given.args, *given.kwonlyargs]
        every += [argument for argument in (given.vararg, given.kwarg) if argument]
        self._visit_all([*given.defaults, *given.kw_defaults])
        self._visit_all([argument.annotation for argument in every])
        scope = Scope(self._scope.for_functions())
        for argument in every:
            scope.bind(argument.arg, None)
        body = [node.body] if isinstance(node, ast.Lambda) else node.body
        self._bodies.append((scope, body))

    visit_AsyncFunctionDef = visit_FunctionDef
    visit_Lambda = visit_FunctionDef

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        """Read the body, whose names its methods do not see."""
        self._visit_all([*node.decorator_list, *node.bases, *node.keywords])
        self._bind(node.name, None)
        with self._within(Scope(self._scope, of_class=True)):
            self._visit_all(node.body)

    def _comprehension(self, node: ast.AST) -> None:
        with self._within(Scope(self._scope)):
            for generator in node.generators:  # type: ignore[attr-defined]
                self._visit_all([generator.iter, generator.target, *generator.ifs])
            for part in ("key", "value", "elt"):
                self._visit_all([getattr(node, part, None)])

    visit_ListComp = visit_SetComp = visit_DictComp = _comprehension
    visit_GeneratorExp = _comprehension

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        """Read a handler as a branch."""
        self._branch(node)

    def _branch(self, node: ast.AST) -> None:
        before, self._perhaps = self._perhaps, True
        self.generic_visit(node)
        self._perhaps = before

    def visit_For(self, node: ast.For | ast.AsyncFor) -> None:
        """Bind the targets of the loop, and read the body as a branch."""
        self._visit_all([node.iter, node.target])
        before, self._perhaps = self._perhaps, True
        self._visit_all([*node.body, *node.orelse])
        self._perhaps = before

    visit_AsyncFor = visit_For
    visit_If = visit_While = visit_Match = _branch
    visit_Try = visit_TryStar = _branch
