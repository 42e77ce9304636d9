"""XLA rules: operations in JAX that have no meaning over a namespace.

They are not in the operations' definitions, because core processes, and programs that
do not use this executor, must not load JAX.
"""

from collections.abc import Callable, Sequence
from typing import Any

Rule = Callable[..., Any]
"""``rule(xp, *arrays, **attrs)`` returns an array or several, like a meaning."""
Check = Callable[..., Any]
"""``check(*arrays, **attrs)`` lists the possible errors: flag, code, message."""
Lower = Callable[..., Sequence[Any]]
"""``lower(context, instr, operands)`` returns the values of the outputs, for operations
that depend on replicas, variables or inner programs."""
