"""Convolutions of PyTorch on one thread."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tpuref.engine.ops.meaning import Array


def convolutions(
    images: Array, filters: Array, backprop: Array, stride: int
) -> dict[str, tuple[Callable[[], Any], Callable[[], Array]]]:
    """Return functions that compute a convolution and its gradients.

    Arrays are as in ``tf.nn.conv2d`` with channels last; the filter is square and of
    odd size.  For ``forward``, ``images`` and ``filters`` the result has a function
    to time and one that returns the result in the layout of ``tf.nn.conv2d``.
    """
    import torch

    torch.set_num_threads(1)
    last = torch.channels_last
    x, dy = (
        torch.from_numpy(a).permute(0, 3, 1, 2).contiguous(memory_format=last)
        for a in (images, backprop)
    )
    w = torch.from_numpy(filters).permute(3, 2, 0, 1).contiguous(memory_format=last)
    margin = filters.shape[0] // 2

    def forward() -> Any:
        return torch.nn.functional.conv2d(x, w, stride=stride, padding=margin)

    def gradient(operand: int) -> Any:
        wanted = (operand == 0, operand == 1, False)
        step, hole = (stride, stride), (1, 1)
        return torch.ops.aten.convolution_backward(
            dy, x, w, None, step, (margin, margin), hole, False, (0, 0), 1, wanted
        )[operand]

    return {
        "forward": (forward, lambda: forward().permute(0, 2, 3, 1).numpy()),
        "images": (
            lambda: gradient(0),
            lambda: gradient(0).permute(0, 2, 3, 1).numpy(),
        ),
        "filters": (
            lambda: gradient(1),
            lambda: gradient(1).permute(2, 3, 1, 0).numpy(),
        ),
    }
