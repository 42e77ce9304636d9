"""Operations are added by a record and a function; every executor then runs them."""

import os

import pytest

from ..pythons import python

OPERATIONS = r'''
import os

import numpy as np

from tpuref.base.dtypes import as_dtype
from tpuref.base.spec import TensorSpec
from tpuref.engine.graph.build import apply
from tpuref.engine.ops.definition import Effects, OpDef, Place
from tpuref.engine.ops.registry import REGISTRY

def _raised(x, *, handle: str, dtype: str, shape: tuple[int | None, ...] | None):
    return TensorSpec(shape, as_dtype(dtype))

def _raise(context, x, *, handle, dtype, shape):
    greatest = np.maximum(context.variables.read(handle), x)
    context.variables.write(handle, greatest)
    return greatest

def _located(x):
    return TensorSpec(x.shape, x.dtype), TensorSpec([], as_dtype("int64"))

def _locate(context, x):
    return x * (context.replica + 1), np.asarray(os.getpid())

# A stateful operation, and one that the host runs.
REGISTRY.add([
    OpDef("AssignMax", _raised, effects=Effects(_raise, "handle", "handle")),
    OpDef("OnHost", _located, effects=Effects(_locate), place=Place.CALL),
])

def assign_max(variable, x):
    """Keep the greater of the value of a variable and `x`."""
    attrs = {"handle": variable.op.name, "dtype": "float32", "shape": ()}
    return apply("AssignMax", x, **attrs)

def on_host(x):
    """Multiply by the number of the replica, from 1; return the process too."""
    return apply("OnHost", x)
'''

PROGRAM = r"""
import os
import sys

import added
import tpuref as tf
from tpuref.engine.runtime.pool.host import process

# Core processes start isolated, so they are told where the operations are.
process._COMMAND = process._COMMAND.replace(
    "from tpuref", f"sys.path.append({os.getcwd()!r})\nimport added\nfrom tpuref", 1
)

best = tf.get_variable("best", initializer=2.5)

def computation(x):
    seen = added.assign_max(best, x)
    scaled, process = added.on_host(x)
    return seen, tf.tpu.cross_replica_sum(scaled), process

out = tf.tpu.replicate(computation, [[4.0], [1.0], [9.0], [3.0]])
server = tf.train.Server.create_local_server() if sys.argv[1:] else None
with tf.Session(server.target if server else "") as session:
    session.run(tf.global_variables_initializer())
    for _ in range(2):
        results = session.run(out)
        seen, totals, processes = zip(*results)
        print(list(map(float, seen)), set(map(float, totals)))
    print(float(session.run(best)), set(map(int, processes)) == {os.getpid()})
"""

FIRST = "[4.0, 2.5, 9.0, 3.0] {45.0}"
SECOND = "[4.0, 4.0, 9.0, 4.0] {45.0}"
"""Only what replica 0 writes is kept."""


@pytest.mark.parametrize("executor", ["lockstep", "pool", "server"])
def test_an_operation_added_on_the_fly(executor, tmp_path):
    if executor == "server":
        pytest.importorskip("grpc", reason="needs the extra: pip install tpuref[cloud]")
    (tmp_path / "added.py").write_text(OPERATIONS)
    (tmp_path / "program.py").write_text(PROGRAM)
    path = os.pathsep.join(filter(None, [str(tmp_path), os.environ.get("PYTHONPATH")]))
    settings = {"TPUREF_EXECUTOR": "pool" if executor == "pool" else "lockstep"}
    done = python(
        "program.py",
        *(["served"] if executor == "server" else []),
        env={"PYTHONPATH": path, **settings},
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [FIRST, SECOND, "4.0 True"]
