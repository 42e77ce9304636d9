"""A warm step: Session.run of a small replicated computation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tpuref as tf


@pytest.mark.parametrize("cores", [2, 8])
def test_step(
    benchmark: Any, session_of: Callable[[int], tf.Session], cores: int
) -> None:
    session = session_of(cores)
    x = tf.constant([1.0, 2.0, 3.0, 4.0])
    outputs = tf.tpu.replicate(lambda x: x + 1, [[x] for _ in range(cores)])
    for (out,) in benchmark(session.run, outputs):
        np.testing.assert_array_equal(out, [2.0, 3.0, 4.0, 5.0])
