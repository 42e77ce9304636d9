"""The command ``tpuref conformance``, which the suite implements."""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys

from tpuref.tools.cli.failure import fail

NAME = "conformance"

Commands = argparse._SubParsersAction  # the type has no public name


def add(commands: Commands[argparse.ArgumentParser]) -> None:
    """Add the command to those of ``tpuref``, with its options for completion only."""
    shell_asks = "_ARGCOMPLETE" in os.environ
    commands.add_parser(
        NAME,
        help="check every documented statement (see tpuref conformance --help)",
        parents=_parsers() if shell_asks else [],
        add_help=not shell_asks,
    )


def _parsers() -> list[argparse.ArgumentParser]:
    """Return the parser of the suite, if it is installed."""
    _find_suite_of_checkout()
    try:
        from tpuref_conformance.command import parser
    except ImportError:
        return []
    return [parser()]


def run(arguments: list[str]) -> int:
    """Run the suite with the arguments, and return its exit status."""
    _find_suite_of_checkout()
    try:
        from tpuref_conformance import main as conformance
    except ImportError:
        return fail(NAME, "the suite is not installed; install tpuref with pip")
    status: int = conformance(arguments)
    return status


def name_of_document(file: str) -> str:
    """Return the name of a document, or its file without the suite."""
    _find_suite_of_checkout()
    try:
        from tpuref_conformance.documents import name_of
    except ImportError:
        return file
    name: str = name_of(file)
    return name


def _find_suite_of_checkout() -> None:
    """Make the suite importable if it is next to ``src`` and not installed."""
    name = "tpuref_conformance"
    if name in sys.modules or importlib.util.find_spec(name) is not None:
        return
    suite = os.path.abspath(
        os.path.join(__file__, "../../../../conformance/__init__.py")
    )
    if not os.path.exists(suite):
        return
    spec = importlib.util.spec_from_file_location(name, suite)
    if spec is not None and spec.loader is not None:
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
