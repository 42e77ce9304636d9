"""Derivatives of programs: the walk back, tapes, and what they give.

This package puts the rules of `tpuref.engine.ops.derivatives` into the records of operations.
"""

import tpuref.engine.ops.derivatives.rules  # noqa: F401  (for that effect)
