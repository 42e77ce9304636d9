"""An entry of the manifest."""

import typing


class Edit(typing.NamedTuple):
    """A line of a program that is replaced before the run."""

    path: str
    line: str  # the whole line, without its indentation
    becomes: str
    reason: str


class End(typing.NamedTuple):
    """What shows that a program came to the end that its authors meant."""

    meaning: str  # in the words of the table: steps, evaluation, predictions ...
    text: str = ""  # a regular expression in the output of the last command
    files: typing.Tuple[str, ...] = ()  # patterns of files below the working folder


class Program(typing.NamedTuple):
    """A program: its text elsewhere, how it is run, and what its end is.

    In arguments ``{data}`` is the folder that the recipe fills, and ``{out}`` an empty
    one.  An argument that begins with ``-m`` runs a module instead of a script.
    """

    name: str
    repository: str
    commands: typing.Tuple[str, ...]
    end: End
    recipe: typing.Optional[typing.Callable] = None
    data: str = ""  # the folder that the recipe fills, if the program wants it below
    folder: str = "."  # the working folder, below the repository
    path: typing.Tuple[
        str, ...
    ] = ()  # folders on the import path, below the repository
    # other repositories, and where their texts are copied to below the repository
    uses: typing.Tuple[typing.Tuple[str, str], ...] = ()
    release: int = 1
    cores: int = 2
    edits: typing.Tuple[Edit, ...] = ()
    needs: typing.Tuple[str, ...] = ()  # third-party modules
    # texts of the commands that differ where each step is followed on one core
    followed: typing.Tuple[typing.Tuple[str, str], ...] = ()
    followed_edits: typing.Tuple[Edit, ...] = ()  # further edits for that
    # arguments that differ where TensorFlow runs it without a TPU
    on_tensorflow: typing.Tuple[typing.Tuple[str, str], ...] = ()
