"""The main loop of all peers: connect to the benchmark and answer requests."""

import json
import os
import socket
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

PORT = "TPUREF_BENCH_PORT"
"""The environment variable with the port of the benchmark."""


def serve(answer: Callable[..., float | None]) -> None:
    """Answer requests until the benchmark closes the connection.

    `answer` takes the fields of a request as keywords and returns seconds per
    operation, or None in all processes but one.
    """
    address = "127.0.0.1", int(os.environ[PORT])
    with socket.create_connection(address) as end, end.makefile("rw") as lines:
        for line in lines:
            lines.write(json.dumps(answer(**json.loads(line))) + "\n")
            lines.flush()


def contribution(rank: int, elements: int) -> npt.NDArray[np.float32]:
    """Return the contribution of one process to a verified sum.

    >>> contribution(2, 4).tolist()
    [2.0, 3.0, 4.0, 5.0]
    """
    return np.arange(elements, dtype=np.int32).__mod__(97).astype(np.float32) + rank


def verify(total: Any, cores: int) -> None:
    """Raise AssertionError unless a vector is the sum of all contributions.

    >>> verify(contribution(0, 5) + contribution(1, 5), cores=2)
    """
    array = np.asarray(total)
    expected = contribution(0, array.size) * cores + cores * (cores - 1) / 2
    np.testing.assert_array_equal(array, expected.astype(array.dtype))
