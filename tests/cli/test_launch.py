"""The exit status of ``tpuref launch``; tests/xla has what else it does."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tpuref.tools.cli.launch import _exit_status


@pytest.mark.parametrize(
    ("statuses", "reported"),
    [
        ([0, 0, 0], 0),
        ([0, 7, 1], 7),
        ([1, 7], 1),
        ([-15, 1], 143),
        ([1, 0, -9, 1], 137),
        ([7, -6], 7),
    ],
)
def test_the_status_of_the_cause(statuses: Sequence[int], reported: int) -> None:
    assert _exit_status(statuses) == reported
