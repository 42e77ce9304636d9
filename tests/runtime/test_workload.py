"""Which programs are so light that one process carries all of their cores."""

from typing import Any

import numpy as np
import pytest

import tpuref as tf
from tpuref.engine.runtime.system import LOCAL

REPLICAS = 4
LARGE = 1 << 17


@pytest.fixture(scope="module", autouse=True)
def two_processors():
    """A pool on a machine of two processors, which starts once."""
    LOCAL.reset()
    settings: dict[str, Any] = {"cores": REPLICAS, "processes": None}
    with (
        pytest.MonkeyPatch.context() as patch,
        tf.config.override(executor="pool", **settings),
    ):
        patch.setattr("tpuref.engine.runtime.pool.split.processors", lambda: 2)
        yield
        LOCAL.reset()


def processes(computation, size):
    """Run a computation, and return on how many processes it ran."""
    given = [np.full(size, replica, np.float32) for replica in range(REPLICAS)]
    fed = [tf.placeholder(tf.float32, [size]) for _ in given]
    outputs = tf.tpu.replicate(computation, [[x] for x in fed])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(2):
            session.run(outputs, dict(zip(fed, given, strict=True)))
    executor: Any = LOCAL._systems["localhost"]._executor
    *_, known = executor._programs.values()
    (placed,) = known.placed.values()
    return int(placed.split.processes)


def squares(x):
    """Multiply two square matrices."""
    side = int(x.shape.as_list()[0] ** 0.5)
    matrix = tf.reshape(x, [side, side])
    return tf.matmul(matrix, matrix)


def counted(x):
    """Add to a variable."""
    count = tf.get_variable("count", [4], initializer=tf.zeros_initializer())
    with tf.control_dependencies([tf.assign_add(count, x)]):
        return tf.identity(x)


LIGHT: dict[str, tuple[Any, int]] = {
    "one operation": (lambda x: x + 1.0, 4),
    "a hundred operations": (lambda x: sum((x * k for k in range(50)), x), 4),
    "a small product": (squares, 16 * 16),
    "a variable": (counted, 4),
    "a reduction": (tf.reduce_sum, 1 << 10),
    "many small terms": (lambda x: tf.add_n([x + k for k in range(80)]), 4),
}


NOT_LIGHT: dict[str, tuple[Any, int]] = {
    "a large input": (tf.reduce_sum, LARGE),
    "a large product": (squares, 128 * 128),
    "many terms": (lambda x: tf.add_n([x + k for k in range(80)]), 1 << 14),
    "what is made within": (lambda x: tf.reduce_sum(tf.ones([LARGE]) * x[0]), 4),
    "a sum over replicas": (tf.tpu.cross_replica_sum, 4),
    "a loop": (lambda x: tf.while_loop(lambda y: y[0] < 9, lambda y: y + 1, [x]), 4),
    "a branch": (lambda x: tf.cond(x[0] > 1, lambda: x, lambda: -x), 4),
    "a host call": (lambda x: tf.tpu.outside_compilation(lambda v: v + 1.0, x), 4),
    "random numbers": (lambda x: x + tf.random_uniform([4]), 4),
}


@pytest.mark.parametrize("what", [*LIGHT, *NOT_LIGHT])
def test_light_programs_run_on_one_process(what):
    if what in LIGHT:
        assert processes(*LIGHT[what]) == 1
    else:
        assert processes(*NOT_LIGHT[what]) == 2
