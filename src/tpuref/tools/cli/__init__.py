"""The program ``tpuref``; each of its commands is a module."""

import argparse
import difflib
import os
import sys
from collections.abc import Sequence

from tpuref.base.version import __version__
from tpuref.tools.cli import (
    bench,
    compile,
    completion,
    conformance,
    doctor,
    explain,
    fake_cloud_tpu,
    launch,
    port,
    run,
    topology,
    trace,
)

COMMANDS = (
    run,
    launch,
    trace,
    compile,
    doctor,
    explain,
    port,
    topology,
    fake_cloud_tpu,
    bench,
    completion,
)
"""The modules of the commands: names, texts, ``add`` for the options, and ``run``.

The help needs all of them, so imports that take time are inside ``run``.
"""

_EPILOG = """examples:
  tpuref run --cores 8 train.py          run a TPU script here
  tpuref doctor                          is this computer ready?
  tpuref explain E021                    what does [TPUREF-E021] mean?
  tpuref port train.py                   which names of tf does tpuref lack?
  tpuref topology 4x4x2 --replicas 16    draw cores and replicas

tpuref COMMAND --help lists the options, with examples. The exit status is 0,
1 if the command found a problem, and 2 if it did not understand its arguments.
Output is coloured only on a terminal, and never with NO_COLOR set."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    try:
        status = _run(list(sys.argv[1:] if argv is None else argv))
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader, such as head, has closed the pipe; Python flushes once more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return status


def _run(arguments: list[str]) -> int:
    if arguments[:1] == [conformance.NAME]:
        return conformance.run(arguments[1:])
    if arguments and arguments[0].startswith(run.AS_TENSORFLOW):  # a short form
        arguments = [run.NAME, *arguments]
    parser = _parser()
    _complete(parser)
    _check_name(parser, arguments)
    options = parser.parse_args(arguments)
    for command in COMMANDS:
        if options.command == command.NAME:
            status: int = command.run(options)
            return status
    parser.print_help()
    return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tpuref",
        description="TensorFlow's documented TPU interface, on CPU cores.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"tpuref {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    for command in COMMANDS:
        command.add(
            commands.add_parser(
                command.NAME,
                help=command.HELP,
                description=command.DESCRIPTION,
                epilog=command.EPILOG,
                formatter_class=argparse.RawDescriptionHelpFormatter,
            )
        )
    conformance.add(commands)
    return parser


def _complete(parser: argparse.ArgumentParser) -> None:
    """Answer a shell's request for completions; see `tpuref.tools.cli.completion`."""
    if "_ARGCOMPLETE" in os.environ:
        import argcomplete

        argcomplete.autocomplete(parser)


def _check_name(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> None:
    """Exit with a suggestion if the command does not exist."""
    names = [*(command.NAME for command in COMMANDS), conformance.NAME]
    for name in arguments[:1]:
        if not name.startswith("-") and name not in names:
            close = difflib.get_close_matches(name, names, n=2)
            hint = f"did you mean {' or '.join(close)}?" if close else ", ".join(names)
            parser.error(f"there is no command {name!r}; {hint}")
