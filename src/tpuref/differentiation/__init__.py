"""Derivatives of programs: the backward pass and tapes.

Importing this package registers the rules of `tpuref.ops.derivatives`.
"""

import tpuref.ops.derivatives.rules  # noqa: F401  (registers the gradient rules)
