"""Names of TensorFlow that are not there."""

from __future__ import annotations

from tpuref.base import error_codes as codes
from tpuref.error_catalogue.entry import Entry

ENTRIES = (
    Entry(
        codes.MISSING_NAME,
        "tpuref does not have this name",
        meaning="A program reads or imports a name that tpuref does not have. The "
        "message says which releases of TensorFlow have it; those that were looked at "
        "are 1.8, 1.11, 1.15, 2.4 and 2.21. Where none of them has it, it is probably "
        "mistyped.",
        remedy="Do what the message says. `tpuref port program.py` lists all names "
        "that a program takes from tf, without running it.",
        text="""
            import tpuref as tf

            tf.keras.Sequential()
        """,
    ),
)
