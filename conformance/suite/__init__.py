"""The clauses, one module for each documented page.

Inputs are fixed. Numbers are such that float32 holds them, and every step to the
result, exactly and in any order: they are compared without a tolerance (see ``same``).
"""

import importlib
import pkgutil

from ..clause import checks, registered


def load_checks():
    """Import every module of the suite, and return the checks by their clauses' ids."""
    for module in sorted(pkgutil.iter_modules(__path__), key=lambda one: one.name):
        importlib.import_module(f"{__name__}.{module.name}")
    return checks()


def load_clauses():
    """Return every clause of the suite, document by document."""
    load_checks()
    return registered()
