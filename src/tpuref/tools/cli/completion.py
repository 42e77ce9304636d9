"""The command ``tpuref completion``: prints a completion script for a shell."""

from __future__ import annotations

import argparse

NAME = "completion"

SHELLS = ("bash", "zsh", "fish")

Commands = argparse._SubParsersAction  # the type has no public name

_EPILOG = """examples:
  eval "$(tpuref completion bash)"                 in ~/.bashrc
  eval "$(tpuref completion zsh)"                  in ~/.zshrc
  tpuref completion fish > ~/.config/fish/completions/tpuref.fish"""


def add(commands: Commands[argparse.ArgumentParser]) -> None:
    """Add the command to those of ``tpuref``."""
    completion = commands.add_parser(
        NAME,
        help="print a completion script for a shell",
        description="Print a script for SHELL that completes commands and options.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    completion.add_argument(
        "shell", metavar="SHELL", choices=SHELLS, help="|".join(SHELLS)
    )


def run(options: argparse.Namespace) -> int:
    """Print the script, and return the exit status."""
    import argcomplete

    print(argcomplete.shellcode(["tpuref"], shell=options.shell))
    return 0
