"""The exit status of ``tpuref launch``; tests/xla has what else it does."""

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
def test_the_status_of_the_cause(statuses, reported):
    assert _exit_status(statuses) == reported
