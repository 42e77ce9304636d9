"""The command ``tpuref completion``: prints a completion script for a shell."""

import argparse

NAME = "completion"
HELP = "print a completion script for a shell"
DESCRIPTION = "Print a script for SHELL that completes commands and options."

SHELLS = ("bash", "zsh", "fish")
EPILOG = """examples:
  eval "$(tpuref completion bash)"                 in ~/.bashrc
  eval "$(tpuref completion zsh)"                  in ~/.zshrc
  tpuref completion fish > ~/.config/fish/completions/tpuref.fish"""


def add(completion: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    completion.add_argument(
        "shell", metavar="SHELL", choices=SHELLS, help="|".join(SHELLS)
    )


def run(options: argparse.Namespace) -> int:
    """Print the script, and return the exit status."""
    import argcomplete

    print(argcomplete.shellcode(["tpuref"], shell=options.shell))
    return 0
