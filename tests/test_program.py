"""Programs: plain data that another process can have."""

import dataclasses
import pickle

import pytest

import tpuref as tf
from tpuref.base.callsite import CallSite
from tpuref.engine.graph.lowering import lower
from tpuref.engine.program import HOST, Instr, Program


def instr(core=0, blocks=(), name="op"):
    site = CallSite("file.py", 1, "f")
    return Instr("NoOp", name, (), (), {}, (), core, site, tuple(blocks))


def program(*instrs):
    return Program("p", (), instrs, ())


@pytest.mark.parametrize(
    ("instrs", "cores"),
    [
        ([], 1),
        ([instr(0)], 1),
        ([instr(HOST)], 1),
        ([instr(3), instr(1)], 4),
        ([instr(HOST, [program(instr(2))])], 3),
        ([instr(1, [program(), program(instr(0, [program(instr(7))]))])], 8),
    ],
)
def test_the_number_of_cores(instrs, cores):
    assert program(*instrs).num_cores == cores


def test_all_instructions_are_those_within_too():
    inner = program(instr(name="c"))
    middle = program(instr(name="b", blocks=[inner]), instr(name="d"))
    outer = program(instr(name="a", blocks=[middle, inner]), instr(name="e"))
    assert [i.name for i in outer.all_instrs()] == ["a", "b", "c", "d", "c", "e"]


def test_programs_are_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        program().name = "other"
    with pytest.raises(dataclasses.FrozenInstanceError):
        instr().core = 1


def test_a_program_travels_without_the_users_functions():
    captured = object()  # cannot be pickled by value; must not be part of the program

    def computation(x):
        y = tf.tpu.outside_compilation(
            lambda a: tf.py_func(lambda v: (captured, v)[1], [a], tf.float32), x
        )
        y.set_shape([])
        return tf.cond(y > 0, lambda: tf.tpu.cross_replica_sum(y), lambda: y)

    lowered = lower([tf.tpu.replicate(computation, [[1.0], [2.0]])[0][0]], [], [])
    again = pickle.loads(pickle.dumps(lowered))
    ops = [i.op for i in again.all_instrs()]
    assert ops == [i.op for i in lowered.all_instrs()]
    assert {"TPUReplicate", "PyFunc", "If", "CrossReplicaSum"} <= set(ops)
    assert again.num_cores == 1
