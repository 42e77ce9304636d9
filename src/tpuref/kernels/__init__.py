"""The hot paths, as two implementations with equal names, arguments and bits.

Sums of convolutions and products are the exception: each rounds them in its own order.

``TPUREF_KERNELS`` chooses the twin when this package is imported: ``cython``,
``python``, or ``auto``, the default, which prefers the compiled one if it was built.

Examples
--------
>>> IMPLEMENTATION in ("cython", "python")
True
"""

import importlib.util
import os
from typing import TYPE_CHECKING

from tpuref.base import error_codes as codes
from tpuref.base.errors import coded

__all__ = [
    "IMPLEMENTATION",
    "addresses",
    "checksum",
    "convolution",
    "elementwise",
    "examples",
    "flags",
    "links",
    "mailboxes",
    "padding",
    "pooling",
    "products",
    "sharding",
    "sums",
]

COMPILED = tuple(f"tpuref.kernels.cython.{name}" for name in __all__[1:])


def _choose(wanted: str) -> str:
    """Return the name of the implementation to use."""
    if wanted not in ("auto", "cython", "python"):
        raise codes.INVALID_SETTING.value_error(
            f"TPUREF_KERNELS: expected auto, cython or python, got {wanted!r}"
        )
    if wanted == "python":
        return wanted
    missing = [name for name in COMPILED if importlib.util.find_spec(name) is None]
    if not missing:
        return "cython"
    if wanted == "cython":
        raise coded(
            ImportError,
            "TPUREF_KERNELS=cython: this tpuref was built without "
            f"{', '.join(missing)}; install it again with a C compiler and the "
            "headers of this Python present and TPUREF_PURE unset, or set "
            "TPUREF_KERNELS to auto or python",
            code=codes.NOT_INSTALLED,
            name=missing[0],
        )
    return "python"


IMPLEMENTATION = _choose(os.environ.get("TPUREF_KERNELS", "auto"))

# Type checkers see the Python twin.
if IMPLEMENTATION == "cython" and not TYPE_CHECKING:
    from tpuref.kernels.cython import (
        addresses,
        checksum,
        convolution,
        elementwise,
        examples,
        flags,
        links,
        mailboxes,
        padding,
        pooling,
        products,
        sharding,
        sums,
    )
else:
    from tpuref.kernels.python import (
        addresses,
        checksum,
        convolution,
        elementwise,
        examples,
        flags,
        links,
        mailboxes,
        padding,
        pooling,
        products,
        sharding,
        sums,
    )
