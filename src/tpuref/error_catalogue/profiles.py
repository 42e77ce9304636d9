"""Profiles."""

from __future__ import annotations

from tpuref.base import error_codes as codes
from tpuref.error_catalogue.entry import Entry

ENTRIES = (
    Entry(
        codes.PROFILE_RUNS,
        "A profile runs already",
        meaning="There is one profile at a time, and the message names the line that "
        "started it; under `tpuref trace` the whole script is profiled.",
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
        "No profile runs",
        meaning="A profile is to be stopped that was not started, or that was stopped "
        "before.",
        remedy="Call tf.profiler.start(path) first, or use `with "
        "tf.profiler.trace(path):`, which stops by itself.",
        text="""
            import tpuref as tf

            tf.profiler.stop()
        """,
    ),
)
