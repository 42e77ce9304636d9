"""The names under ``tf.experimental``."""

from __future__ import annotations

from tpuref.functions import dlpack as dlpack
