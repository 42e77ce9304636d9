"""Gradients of branches and loops."""

from __future__ import annotations

from typing import Any


def gradients_of_block(step: Any, gradients: Any, wanted: Any) -> Any:
    """Return the gradient of each wanted source of a step with blocks."""
    raise NotImplementedError
