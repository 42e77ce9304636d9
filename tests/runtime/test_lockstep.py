"""The lockstep interpreter, on programs written by hand."""

from typing import Any

import numpy as np
import pytest

import tpuref as tf
from tpuref.base.callsite import CallSite
from tpuref.base.spec import TensorSpec
from tpuref.engine import program as program_module
from tpuref.engine.ops.definition import OpDef
from tpuref.engine.program import Instr, Program
from tpuref.engine.runtime.meaning.lockstep import run_instr, run_program
from tpuref.engine.runtime.meaning.run import Run
from tpuref.engine.runtime.meaning.state import ReplicaVariables, State

SITE = CallSite("program.py", 12, "computation")
F32 = TensorSpec(tf.TensorShape(None), tf.float32)


def instr(op, inputs=(), outputs=(), specs=None, blocks=(), core=0, **attrs):
    specs = (F32,) * len(outputs) if specs is None else tuple(specs)
    given = tuple(inputs), tuple(outputs), attrs, specs, core, SITE, tuple(blocks)
    return Instr(op, f"{op}_0", *given)


def program(parameters, instrs, results):
    return Program("test", tuple(parameters), tuple(instrs), tuple(results))


def run_of(replicas, **options):
    state = State()
    views = [ReplicaVariables(state) for _ in range(replicas)]
    return Run(state=state, variables=views, functions={}, timeout=1.0, **options)


def carry_out(given, inputs, run=None):
    values = {
        r: [np.asarray(value, np.float32) for value in own]
        for r, own in enumerate(inputs)
    }
    results = run_program(given, values, run or run_of(len(inputs)))
    assert list(results) == list(values)
    return [[np.asarray(a).tolist() for a in results[r]] for r in range(len(inputs))]


def test_instructions_read_and_write_slots_in_order():
    # c = a + b, d = c * a, and c - d comes out
    steps = [instr("AddV2", [0, 1], [2]), instr("Mul", [2, 0], [3])]
    steps.append(instr("Sub", [2, 3], [4]))
    outcome = carry_out(program([0, 1], steps, [4, 2]), [[2, 3], [1, 10]])
    assert outcome == [[-5, 5], [0, 11]]
    again = [instr("Neg", [0], [0]), instr("Neg", [0], [1])]
    assert carry_out(program([0], again, [0, 1]), [[5]]) == [[-5, 5]]
    split = instr("Split", [0], [1, 2], axis=0, sizes=(None, None))
    assert carry_out(program([0], [split], [2, 1]), [[[1, 2]]]) == [[[2], [1]]]


def test_outputs_have_the_types_that_were_foreseen():
    step = instr("Neg", [0], [1], [TensorSpec(tf.TensorShape([]), tf.float64)])
    given = {0: [np.asarray(1.0, np.float32)]}
    (result,) = run_program(program([0], [step], [1]), given, run_of(1))[0]
    assert isinstance(result, np.ndarray) and result.dtype == np.float64


def test_a_branch_that_nobody_takes_does_not_run():
    broken = program([0], [instr("NoSuchOperation", [0], [1])], [1])
    step = instr("If", [0, 0], [1], blocks=[program([0], [], [0]), broken])
    assert carry_out(program([0], [step], [1]), [[1], [2]]) == [[1], [2]]
    with pytest.raises(tf.errors.NotFoundError, match="NoSuchOperation"):
        carry_out(program([0], [step], [1]), [[1], [0]])


def test_replicas_that_are_missing_are_named():
    run = run_of(4)
    step = instr("CrossReplicaSum", [0], [1], groups=((0, 1), (2, 3)))
    operands = {1: [np.float32(1)], 2: [np.float32(1)], 3: [np.float32(1)]}
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[1\] wait for \[0\]"):
        run_instr(step, operands, run)
    del operands[1]
    assert sorted(run_instr(step, operands, run)) == [2, 3]  # nobody of the first


def test_a_copy_from_a_replica_that_went_another_way_names_it():
    here = program([0], [instr("TowerCopy", [0], [0], source=1, targets=(0, 2))], [0])
    given: Any = {r: [np.asarray(r)] for r in range(4)}
    got = run_program(here, given, run_of(4))
    assert [int(got[r][0]) for r in range(4)] == [1, 1, 1, 3]
    del given[1]
    waiting = r"TowerCopy: .*\[0, 2\] wait for \[1\]"
    with pytest.raises(tf.errors.InvalidArgumentError, match=waiting) as raised:
        run_program(here, given, run_of(4))
    assert raised.value.op == "TowerCopy_0"
    assert run_program(here, {3: given[3]}, run_of(4)) == {3: [3]}


@pytest.mark.parametrize(
    "kind", [ValueError, TypeError, IndexError, OverflowError, MemoryError]
)
def test_what_a_kernel_raises_becomes_an_error_of_the_run(kind, monkeypatch):
    def fail(*arrays):
        raise kind("kernel says no")

    failing = OpDef("Failing", infer=lambda x: x, compute=fail)
    monkeypatch.setattr(program_module, "REGISTRY", {"Failing": failing})
    message = "on replica 0: kernel says no"
    with pytest.raises(tf.errors.OpError, match=message) as raised:
        carry_out(program([0], [instr("Failing", [0], [1])], [1]), [[[1, 2]]])
    said = str(raised.value)
    assert "program.py:12" in said
    if kind is MemoryError:
        assert isinstance(raised.value, tf.errors.ResourceExhaustedError)
        assert "bytes are available" in said
    else:
        assert isinstance(raised.value, tf.errors.InvalidArgumentError)
        assert "Failing of (float32[2])" in said
        assert isinstance(raised.value.__cause__, kind)


def test_an_error_that_the_operation_raises_itself_names_the_replica():
    step = instr("FloorDiv", [0, 1], [2], [TensorSpec(tf.TensorShape([]), tf.int32)])
    values = {r: [np.asarray(7, np.int32), np.asarray(r - 1, np.int32)] for r in (0, 1)}
    with pytest.raises(tf.errors.InvalidArgumentError, match="on replica 1"):
        run_program(program([0, 1], [step], [2]), values, run_of(2))
    with pytest.raises(tf.errors.NotFoundError, match="'NoSuch'") as raised:
        carry_out(program([], [instr("NoSuch", [], [0])], [0]), [[]])
    assert raised.value.site == SITE
