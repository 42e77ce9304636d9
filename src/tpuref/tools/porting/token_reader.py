"""The names that a program takes from ``tf``, by its tokens.

It reads programs that Python 3 cannot parse: for Python 2, and broken ones.  It has no
scopes of functions, so a name has one binding at a time.
"""

from tpuref.tools.porting import tokens
from tpuref.tools.porting.scope import Scope, Take, below_tf, joined


class TokenReader:
    """Reads a module, or the cells of a notebook in order, and takes each name."""

    def __init__(self, scope: Scope, take: Take) -> None:
        self._scope = scope
        self._take = take

    def read(self, text: str) -> None:
        """Read a text."""
        for statement in tokens.statements(text):
            one = tokens.import_of(statement)
            if one is None:
                self._read_names(statement)
            else:
                self._read_import(one)

    def _read_import(self, one: tokens.Import) -> None:
        module = None if one.module is None else below_tf(one.module.name)
        for name in one.names:
            line = name.token.line
            first = name.name.partition(".")[0]
            if one.module is None:
                path = below_tf(name.name)
                if path:
                    self._take(path, line, "")
                self._bind(name.bound or first, path if name.bound else below_tf(first))
            elif module is not None and name.name == "*":
                self._scope.bind_all(module)
            elif module is not None:
                path = joined(module, name.name)
                self._take(path, line, "")
                self._bind(name.bound or name.name, path)

    def _bind(self, name: str, path: str | None) -> None:
        self._scope.bind(name, path, perhaps=True)

    def _read_names(self, statement: list[tokens.Token]) -> None:
        before = ""
        position = 0
        while position < len(statement):
            length = tokens.dotted_length(statement[position:]) or 1
            if statement[position].kind == "name" and before != ".":
                self._read_name(statement, position, length)
            position += length
            before = statement[position - 1].text

    def _read_name(
        self, statement: list[tokens.Token], position: int, length: int
    ) -> None:
        """Take a dotted name; an assignment of nothing else binds another name."""
        token = statement[position]
        root = self._scope.path(token.text)
        if root is None:
            return
        rest = "".join(token.text for token in statement[position + 1 :][: length - 1])
        path = joined(root, rest.removeprefix("."))
        if rest:
            self._take(path, token.line, root)
        elif (starred := self._scope.starred(token.text)) is not None:
            self._take(starred, token.line, "")
        if position == 2 and statement[1].text == "=" and length == len(statement) - 2:
            self._bind(statement[0].text, path)
