"""Profiles."""

from __future__ import annotations

from tpuref.base import error_codes as codes
from tpuref.tools.error_catalogue.entry import Entry

ENTRIES = (
    Entry(
        codes.PROFILE_RUNS,
        "A profile is already running",
        meaning="Only one profile can run. The message shows the line that started "
        "it; `tpuref trace` profiles the whole script.",
        remedy="Stop it first, with tf.profiler.stop() or at the end of its block.",
        text="""
            import os

            import tpuref as tf

            with tf.profiler.trace(os.devnull):
                tf.profiler.start(os.devnull)
        """,
    ),
    Entry(
        codes.NO_PROFILE,
        "No profile is running",
        meaning="A profile cannot be stopped before it is started, or twice.",
        remedy="Call tf.profiler.start(path) first, or use `with "
        "tf.profiler.trace(path):`, which stops by itself.",
        text="""
            import tpuref as tf

            tf.profiler.stop()
        """,
    ),
)
