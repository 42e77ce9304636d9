"""Errors of computations that processes joined by jax.distributed share."""

import subprocess
import sys

import pytest

from tpuref.base import error_codes as codes
from tpuref.tools.cli.launch import _free_port

from .conftest import ONE_DEVICE

pytest.importorskip("jax", reason="needs the extra: pip install tpuref[xla]")
pytestmark = ONE_DEVICE


JOIN = """
import sys

import jax
import tpuref as tf

coordinator, process = sys.argv[1], int(sys.argv[2])
jax.config.update("jax_cpu_collectives_implementation", "gloo")
jax.distributed.initialize(coordinator, 2, process)
tf.config.executor = "xla"
inputs = [[1.0], [2.0]]

def computation(x):
    return x + 1.0
"""

RUN = """
outputs = tf.tpu.replicate(computation, inputs)
with tf.Session() as sess:
    sess.run(outputs)
"""

THREE_REPLICAS = "inputs.append([3.0])"

OTHER_PROGRAM = """
if process == 1:
    computation = tf.sin
"""

HOST_FUNCTION_RAISES = """
def check(x):
    if process == 1:
        raise ValueError("no")
    return x

def computation(x):
    y = tf.py_func(check, [x], tf.float32)
    y.set_shape([])
    return y + 1.0
"""


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (THREE_REPLICAS, codes.UNEVEN_SHARDS),
        (OTHER_PROGRAM, codes.PROCESSES_DIFFER),
        (HOST_FUNCTION_RAISES, codes.HOST_FUNCTION_RAISED),
    ],
)
def test_the_first_process_reports(text, code, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(JOIN + text + RUN)
    command = [sys.executable, str(program), f"127.0.0.1:{_free_port()}"]
    with subprocess.Popen([*command, "1"], stderr=subprocess.DEVNULL) as second:
        first = subprocess.run(
            [*command, "0"], stderr=subprocess.PIPE, text=True, timeout=300, check=False
        )
        second.kill()
    last = first.stderr.rpartition("Traceback (most recent call last):")[2]
    assert first.returncode == 1 and f"[{code}]" in last, first.stderr
