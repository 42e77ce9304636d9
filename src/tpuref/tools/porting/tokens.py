"""Tokens and import statements, of Python 3 and Python 2 alike.

The `tokenize` module refuses the syntax of Python 2, such as ``0777`` and backquotes.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_TOKEN = re.compile(
    r"""
    (?P<comment> \#[^\n]* )
  | (?P<string> [bfrtuBFRTU]{0,3} (?:
        \"\"\" (?: \\. | [^\\] )*? \"\"\" | ''' (?: \\. | [^\\] )*? '''
      | " (?: \\. | [^"\\\n] )* " | ' (?: \\. | [^'\\\n] )* ' ) )
  | (?P<name> [^\W\d]\w* )
  | (?P<number> \d[\w.]* )
  | (?P<blank> [^\S\n]+ | \\\r?\n )
  | (?P<newline> \n )
  | (?P<operator> . )
    """,
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True)
class Token:
    """A name, number, string or operator."""

    kind: str  # ``"name"``, ``"number"``, ``"string"`` or ``"operator"``
    text: str
    start: int  # where it begins in the text
    line: int  # its line, from 1 up

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.start + len(self.text)


def statements(text: str) -> Iterator[list[Token]]:
    """Yield the tokens of each simple statement, and of each compound one's head.

    >>> for statement in statements("if x: import numpy; print 0777"):
    ...     [token.text for token in statement]
    ['if', 'x', ':']
    ['import', 'numpy']
    ['print', '0777']
    """
    statement: list[Token] = []
    line = 1
    depth = 0
    for match in _TOKEN.finditer(text):
        kind, word = match.lastgroup or "", match[0]
        if kind in ("name", "number", "string", "operator"):
            depth += (word in "([{") - (word in ")]}") if kind == "operator" else 0
            statement.append(Token(kind, word, match.start(), line))
        ended = kind == "newline" or word in (";", ":")
        if ended and depth <= 0:
            if word == ";":
                statement.pop()
            if statement:
                yield statement
            statement, depth = [], 0
        line += word.count("\n")
    if statement:
        yield statement


@dataclass
class Imported:
    """A name in an import statement."""

    name: str  # the dotted name, of a module or of something in one
    bound: str | None  # the name after ``as``, or None
    token: Token  # its first token
    end: int  # where the dotted name ends


@dataclass
class Import:
    """An import statement."""

    module: Imported | None  # the module after ``from``; None for ``import``
    # the names that are imported; ``*`` is one
    names: list[Imported] = field(default_factory=list)


def import_of(statement: list[Token]) -> Import | None:
    """Return the import statement of the tokens, None for another statement.

    >>> (statement,) = statements("from tensorflow.compat import v1 as tf")
    >>> found = import_of(statement)
    >>> found.module.name, found.names[0].name, found.names[0].bound
    ('tensorflow.compat', 'v1', 'tf')
    """
    rest = [token for token in statement if token.text not in ("(", ")")]
    if not rest:
        return None
    if rest[0].text == "from":
        module, rest = _first_name(rest[1:])
        if module is None or not rest or rest[0].text != "import":
            return None
        imported = Import(module)
    elif rest[0].text == "import":
        imported = Import(None)
    else:
        return None
    rest = rest[1:]
    while rest:
        name, rest = _first_name(rest)
        if name is None:
            return None
        imported.names.append(name)
        rest = rest[1:]  # the comma
    return imported if imported.names else None


def _first_name(tokens: list[Token]) -> tuple[Imported | None, list[Token]]:
    """Return the first name of tokens, and the tokens after it."""
    count = dotted_length(tokens)
    if not count:
        return None, tokens
    name = "".join(token.text for token in tokens[:count])
    bound = None
    rest = tokens[count:]
    if len(rest) > 1 and rest[0].text == "as":
        bound, rest = rest[1].text, rest[2:]
    return Imported(name, bound, tokens[0], tokens[count - 1].end), rest


def dotted_length(tokens: list[Token]) -> int:
    """Return how many of the first tokens are a dotted name, or the star of imports."""
    if not tokens or (tokens[0].kind != "name" and tokens[0].text != "*"):
        return 0
    count = 1
    while (
        len(tokens) > count + 1
        and tokens[count].text == "."
        and tokens[count + 1].kind == "name"
    ):
        count += 2
    return count
