"""Names the documented statement that a test shows.

The statements of both pages are in ``statements.txt``; `test_statements.py` sees to it
that each has a test.
"""

from __future__ import annotations

from typing import Any

import pytest

import tpuref as tf

CONTRIB = tf.contrib.cluster_resolver.TPUClusterResolver
DISTRIBUTE = tf.distribute.cluster_resolver.TPUClusterResolver
PAGES = {
    "tf.contrib.cluster_resolver.TPUClusterResolver": CONTRIB,
    "tf.distribute.cluster_resolver.TPUClusterResolver": DISTRIBUTE,
}


def both(*statements: str) -> Any:
    """Run the test with `resolver` each of the classes: both pages state it."""
    return pytest.mark.parametrize(
        "resolver",
        [
            pytest.param(kind, id=" ".join(page + s for s in statements))
            for page, kind in PAGES.items()
        ],
    )


def contrib(*statements: str) -> Any:
    """Run the test with the class of 002_5797ad2ccd98ef9a.txt."""
    return _one(0, statements)


def distribute(*statements: str) -> Any:
    """Run the test with the class of 004_1530f51430af0bea.txt."""
    return _one(1, statements)


def elsewhere(statement: str) -> Any:
    """Say that the test shows a statement about another name than the two classes."""
    return pytest.mark.parametrize("statement", [statement])


def _one(index: int, statements: tuple[str, ...]) -> Any:
    page, kind = list(PAGES.items())[index]
    name = " ".join(page + s for s in statements)
    return pytest.mark.parametrize("resolver", [pytest.param(kind, id=name)])
