"""Gradients of programs.

This package puts the rules of `tpuref.engine.ops.derivatives` into the records of
operations.
"""

import tpuref.engine.ops.derivatives.rules  # noqa: F401  (for that effect)
