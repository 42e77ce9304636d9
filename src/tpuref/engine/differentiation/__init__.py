"""Gradients of programs: the backward pass.

Importing this package registers the rules of `tpuref.engine.ops.derivatives`.
"""

import tpuref.engine.ops.derivatives.rules  # noqa: F401  (registers the gradient rules)
