"""Programs whose parts do not fit: the refusal says what is wrong."""

from dataclasses import replace

import numpy as np
import pytest

import tpuref as tf
from tpuref.base.callsite import CallSite
from tpuref.base.spec import TensorSpec
from tpuref.engine.program import Instr, Program

pytest.importorskip("grpc", reason="needs the extra: pip install tpuref[cloud]")

from tpuref.engine.remote.program_check import check_program
from tpuref.engine.remote.programs import put_program
from tpuref.engine.remote.tensors import put_arrays
from tpuref.engine.remote.wire import Request

from .streams import answers, opening

FLOAT = TensorSpec([], tf.float32)
INT = TensorSpec([], tf.int32)
BOOL = TensorSpec([], tf.bool)
SITE = CallSite("", 0, "", "")


def instr(op, inputs=(), outputs=(), specs=None, **rest):
    fields = {name: rest.pop(name) for name in ("blocks", "replica") if name in rest}
    found = (FLOAT,) * len(outputs) if specs is None else specs
    return Instr(op, op, tuple(inputs), tuple(outputs), rest, found, 0, SITE, **fields)


def program(parameters, instrs, results):
    return Program("test", tuple(parameters), tuple(instrs), tuple(results))


def replicate(body, replicas, own=0, **attrs):
    """Three fed values for a body on some replicas."""
    given = dict.fromkeys(("padding", "assignment", "topology", "job")) | attrs
    given |= {"replicas": replicas, "inputs_per_replica": own, "xla_options": ()}
    outputs = range(3, 3 + replicas * len(body.results))
    step = instr("TPUReplicate", range(3), outputs, blocks=(body,), **given)
    return program(range(3), [step], outputs)


def check(checked, *dtypes):
    check_program(checked, dtypes or [tf.float32] * len(checked.parameters))


ONE = program([0], [instr("Neg", [0], [1])], [1])
OWN = program(
    [0], [instr("Neg", [0], [1], replica=0), instr("Exp", [0], [1], replica=1)], [1]
)
COPY = instr("TowerCopy", [1], [1], source=1, targets=(0, 2))
COPIED = program([0], [instr("Neg", [0], [1], replica=1), COPY], [1])
SUM = program([0], [instr("CrossReplicaSum", [0], [1], groups=((2, 0), (1,)))], [1])


def with_first(original, **changes):
    first, *others = original.instrs
    return replace(original, instrs=(replace(first, **changes), *others))


@pytest.mark.parametrize(
    "valid",
    [
        ONE,
        replicate(ONE, 3, own=1),
        replicate(program([0, 1, 2], [instr("AddN", [0, 2], [3])], [3]), 2),
        replicate(replace(OWN, parameters=(0, 2, 3)), 2),
        replicate(COPIED, 3, own=1),
        replicate(SUM, 3, own=1),
        replicate(ONE, 3, own=1, padding=(("x", ((None, True), (4, False))),)),
    ],
)
def test_programs_that_fit(valid):
    check(valid)


def branch(*results):
    return program([0], [instr("Neg", [0], [1])], results)


def chosen(first, second):
    return program([0, 1], [instr("If", [0, 1], [2], blocks=(first, second))], [2])


def loop(condition, body, **attrs):
    standard = {"loop_variables": 1, "maximum_iterations": None}
    turned = instr("While", [0], [1], blocks=(condition, body), **(standard | attrs))
    return program([0], [turned], [1])


TWO_OF_3 = with_first(SUM, attrs={"groups": ((0, 1),)})
TRUE = program([0], [instr("IsFinite", [0], [1], [BOOL])], [1])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (with_first(ONE, specs=(INT,)), "is float32.*stated as int32"),
        (with_first(ONE, outputs=(1, 2), specs=(FLOAT, FLOAT)), "1 values.*2 outputs"),
        (with_first(SUM, attrs={"groups": ((0, 0),)}), "each of 1 replicas once"),
        (with_first(ONE, replica=1), "for replica 1, there are 1"),
        (replicate(with_first(OWN, replica=-1), 3, own=1), "for replica -1"),
        (replicate(OWN, 3, own=1), r"slot 1, which only the replicas \[0, 1\] of 3"),
        (replicate(with_first(COPIED, replica=0), 3, own=1), "on replica 1.*empty"),
        (replicate(TWO_OF_3, 3, own=1), "each of 3 replicas once"),
        (replicate(with_first(SUM, replica=1), 3, own=1), "between replicas, but for"),
        (replicate(ONE, 3, own=1, padding=()), "1 inputs.*padding for 0"),
        (replicate(ONE, 3, own=1, padding=(("x", ((-1, True),)),)), r"sizes \[-1\]"),
        (replicate(ONE, 3, own=1, topology=b"x"), "a topology but no assignment"),
        (replicate(ONE, 3, own=1, assignment=(((0, 0, 0),),)), "do not exist"),
        (chosen(branch(1), branch(1)), "predicate of .* is float32"),
        (loop(TRUE, branch(1), loop_variables=2), "2 loop variables and 1 inputs"),
        (loop(TRUE, branch(1), maximum_iterations=-1), "at most -1 times"),
        (loop(branch(1, 1), branch(1)), "condition of .* returns 2 values"),
        (loop(branch(1), branch(1)), "predicate of .* is float32"),
        (loop(TRUE, branch()), "0 values and has 1 outputs"),
    ],
)
def test_programs_that_do_not_fit(wrong, message):
    with pytest.raises(tf.errors.InvalidArgumentError, match=message) as raised:
        check(wrong)
    assert raised.value.message.startswith("a message is malformed: ")


def test_branches_and_copies():
    check(chosen(branch(1), branch(1)), tf.bool, tf.float32)
    for wrong in (chosen(branch(1, 1), branch(1)), chosen(branch(1), branch())):
        with pytest.raises(tf.errors.InvalidArgumentError, match="and has 1 outputs"):
            check(wrong, tf.bool, tf.float32)
    for source, targets, message in (
        (3, (0,), "from replica 3 to .*there are 3"),
        (1, (0, 7), "there are 3"),
    ):
        copy = replace(COPY, attrs={"source": source, "targets": targets})
        wrong = replace(COPIED, instrs=(COPIED.instrs[0], copy))
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            check(replicate(wrong, 3, own=1))


def test_the_inputs_of_a_program():
    with pytest.raises(tf.errors.InvalidArgumentError, match="takes 1 inputs, got 2"):
        check_program(ONE, [tf.float32] * 2)
    with pytest.raises(tf.errors.InvalidArgumentError, match="inputs .* are invalid"):
        check_program(ONE, [tf.string])


def test_a_later_run_feeds_the_same_types(server):
    requests = [opening()]
    for number, value in enumerate([np.float32(2), np.float32(3), np.int32(4)], 2):
        request = Request(number=number)
        request.run.program = 1
        if number == 2:
            put_program(request.run.bundle, ONE)
        put_arrays(request.run.inputs, [np.asarray(value)])
        requests.append(request)
    _, *replies = answers(server.target, [r.SerializeToString() for r in requests])
    by_number = {reply.number: reply for reply in replies}
    assert by_number[4].failed.code == tf.errors.INVALID_ARGUMENT
    assert "dtypes ['float32'], got ['int32']" in by_number[4].failed.message
