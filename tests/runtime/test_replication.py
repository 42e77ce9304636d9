"""Where replicas are placed, and what a replicated run leaves behind."""

import numpy as np
import pytest

import tpuref as tf
from tpuref.base.callsite import CallSite
from tpuref.engine.ops.tpu import Replication
from tpuref.engine.program import Instr, Program
from tpuref.engine.runtime.executor import Lockstep
from tpuref.engine.runtime.meaning.run import Run
from tpuref.engine.runtime.meaning.state import State
from tpuref.engine.runtime.replication import Placement, replicate
from tpuref.engine.runtime.topology.topology import Topology

SITE = CallSite("program.py", 12, "computation")


def operation(op, core, attrs=None, blocks=()):
    return Instr(op, f"{op}_on_{core}", (), (), attrs or {}, (), core, SITE, blocks)


def replicated(replicas, inputs, body, assignment=None):
    attrs = {"replicas": replicas, "inputs_per_replica": inputs, "padding": None}
    attrs["assignment"] = assignment
    return operation("TPUReplicate", 0, attrs, (body,))


def computation(replicas, cores=1, assignment=None):
    """An instruction that replicates a body that does nothing on some cores."""
    steps = tuple(operation("NoOp", core) for core in range(cores))
    return replicated(replicas, 0, Program("body", (), steps, ()), assignment)


def place(instr, cores=8, fixed=True):
    return Placement.decide(instr, Topology.for_cores(cores), fixed, "worker")


@pytest.mark.parametrize(("replicas", "cores"), [(1, 8), (8, 8), (1, 1), (3, 3)])
def test_one_replica_or_as_many_as_cores(replicas, cores):
    placed = place(computation(replicas), cores)
    assert placed.cores == tuple((r,) for r in range(replicas))
    assert placed.job == "worker"


@pytest.mark.parametrize(("replicas", "cores"), [(2, 8), (7, 8), (9, 8), (2, 1)])
def test_other_numbers_need_an_assignment(replicas, cores):
    message = f"{replicas} replicas.*{cores} cores"
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        place(computation(replicas), cores)


def test_a_system_without_a_fixed_size_takes_fewer():
    assert len(place(computation(2), 8, fixed=False).cores) == 2


@pytest.mark.parametrize("fixed", [True, False])
def test_several_cores_per_replica_need_an_assignment(fixed):
    with pytest.raises(tf.errors.InvalidArgumentError) as raised:
        place(computation(1, cores=3), fixed=fixed)
    message = str(raised.value)
    assert "uses 3 logical cores" in message and "[1, 1, 3]" in message
    assert "'NoOp_on_2', which is on core 2, built at program.py:12" in message


def test_an_assignment_is_followed():
    topology = Topology.for_cores(8)
    at = topology.device_coordinates[0].tolist()
    coordinates = tuple(tuple(tuple(at[c]) for c in own) for own in [(5, 2), (0, 7)])
    placed = Placement.decide(computation(2, 2, coordinates), topology, True, "w")
    assert placed.cores == ((5, 2), (0, 7))


def test_an_assignment_of_other_sizes():
    two = (((0, 0, 0),), ((0, 0, 1),))
    for instr, message in (
        (computation(3, assignment=two), "has 3 replicas, its device_assignment has 2"),
        (computation(2, 2, two), "(?s)uses 2 logical cores.*gives 1.*NoOp_on_1"),
        (computation(1, assignment=(((7, 7, 7),),)), "another topology"),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            place(instr)


def test_records_tell_the_physical_core():
    coordinates = [[[0, 0, 0], [0, 0, 1]], [[1, 0, 0], [1, 0, 1]]]
    topology = Topology(mesh_shape=[2, 1, 2], device_coordinates=coordinates)
    placed = Placement(topology, "worker", ((0, 3), (2, 1)), Replication(2))
    record = placed.record("op", 0, 1)
    assert (record.operation, record.replica, record.logical_core) == ("op", 0, 1)
    assert (record.core, record.task) == (3, 1)
    assert record.device == "/job:worker/replica:0/task:1/device:TPU:1"
    assert placed.record("op", 1, 0).device.endswith("/task:1/device:TPU:0")


def test_outputs_come_replica_by_replica():
    instr, state = replicated(2, 1, Program("body", (0, 1), (), (1, 0))), State()
    run = Run(state=state, variables=[state], functions={}, timeout=1.0)
    inputs = [np.float32(1), np.float32(2), np.float32(9)]  # the last is captured
    outputs = replicate(instr, inputs, place(instr, 2), Lockstep(), run)
    assert [float(output) for output in outputs] == [9.0, 1.0, 9.0, 2.0]
