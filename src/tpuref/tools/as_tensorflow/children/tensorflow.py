"""The module ``tensorflow`` of a child process: tpuref takes its place."""

from __future__ import annotations

import sys

from tpuref.tools.as_tensorflow import install

sys.modules.pop("tensorflow", None)  # this module, which the process must not keep
install()
