"""The names under ``tf.app``."""

import sys
from collections.abc import Callable, Sequence
from typing import Any

from tpuref.base import flags
from tpuref.base.extras import optional_module


def run(
    main: Callable[[Sequence[str]], Any] | None = None,
    argv: Sequence[str] | None = None,
) -> None:
    """Parse the flags, call `main` with the other arguments, and exit.

    It raises ImportError if absl is not installed, and SystemExit with the result of
    `main`.

    `main` is by default the function ``main`` of the program, `argv` the command line
    of the process.
    """
    absl = optional_module("absl.app", "tf.app.run", "absl-py")
    absl.run(main or sys.modules["__main__"].main, argv=argv, flags_parser=_parse_flags)


def _parse_flags(arguments: Sequence[str]) -> Any:
    """Parse the flags that are defined; others are left to the program."""
    return flags.FLAGS(arguments, known_only=True)
