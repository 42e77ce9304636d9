"""The module ``tensorflow`` of a child process: tpuref takes its place."""

import sys

from tpuref.tools.as_tensorflow import install

sys.modules.pop("tensorflow", None)  # this module, which the process must not keep
install()
