"""Names of TensorFlow that are not there."""

from __future__ import annotations

from tpuref.base import error_codes as codes
from tpuref.tools.error_catalogue.entry import Entry

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
    Entry(
        codes.TENSORFLOW_LOADED,
        "The real TensorFlow is already imported",
        meaning="`tpuref run --as-tensorflow` and `pytest --tpu-as-tensorflow` let "
        "`import tensorflow` mean tpuref. They refuse where something has imported the "
        "real TensorFlow before, because a program would then use a part of each.",
        remedy="Ask for tpuref first: before a plugin, sitecustomize or the program "
        "itself imports TensorFlow.",
        text="""
            import sys
            import types

            import tpuref.tools.as_tensorflow

            sys.modules["tensorflow"] = types.ModuleType("tensorflow")
            tpuref.tools.as_tensorflow.install()
        """,
        alone=True,
    ),
)
