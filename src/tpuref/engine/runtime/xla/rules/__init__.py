"""What operations are in JAX, where their meaning is not written over a namespace.

They are here instead of in the operations' records because a core and a program that
never compiles must not load JAX.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Rule = Callable[..., Any]
"""``rule(xp, *arrays, **attrs)`` gives an array or several, like a meaning."""
Check = Callable[..., Any]
"""``check(*arrays, **attrs)`` lists what may be wrong: flag, code, message."""
