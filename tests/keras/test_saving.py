"""Models are saved as on TensorFlow, so that either loads what the other saved."""

import pytest

from .test_networks import run

pytest.importorskip("keras", reason="the extra keras is not installed")


def test_a_model_that_training_built():
    """TensorFlow 2.21 printed the same."""
    found = run("", program="saving.py")
    groups = ["dense", "optimizer", "vars"]
    assert found == {"build": [None, 3], "built": True, "groups": groups}
