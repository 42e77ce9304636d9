"""The clauses, one module for each documented page."""

import importlib
import pkgutil


def load_clauses():
    """Import every module of the suite, which registers its clauses."""
    for module in sorted(pkgutil.iter_modules(__path__), key=lambda one: one.name):
        importlib.import_module(f"{__name__}.{module.name}")
