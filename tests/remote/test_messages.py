"""Arrays, attributes, programs and errors on the way into messages and out again."""

import numpy as np
import pytest

import tpuref as tf
from tpuref.base.callsite import CallSite
from tpuref.engine.graph.lowering import lower

pytest.importorskip("grpc", reason="needs the extra: pip install tpuref[cloud]")

from tpuref.engine.remote import schema
from tpuref.engine.remote.attributes import attributes_of, put_attributes
from tpuref.engine.remote.faults import error_of, put_fault
from tpuref.engine.remote.programs import program_of, put_program
from tpuref.engine.remote.tensors import array_of, put_array

Bundle = schema.Bundle.pb()
Fault = schema.Fault.pb()
Instruction = schema.Instruction.pb()
Tensor = schema.Tensor.pb()
FLOAT, INT, STRING, BOOL = 1, 3, 7, 10


@pytest.mark.parametrize(
    ("dtype", "fields", "message"),
    [
        (0, {}, "0 is not the number of an element type"),
        (999, {}, "999 is not the number of an element type"),
        (FLOAT, {"sizes": [2], "content": b"1234"}, "has 8 bytes, got 4"),
        (FLOAT, {"sizes": [2**62, 2**62]}, "bytes, got 0"),
        (FLOAT, {"sizes": [-1]}, "has the sizes"),
        (FLOAT, {"sizes": [0] * 40}, "the limit is 32"),
        (FLOAT, {"sizes": [2**62, 2**62, 0]}, "a tensor of shape"),
        (FLOAT, {"sizes": [0], "texts": [b""]}, "and 1 strings"),
        (STRING, {"sizes": [2**60]}, "strings, got 0"),
        (STRING, {"sizes": [2**62, 2**62, 0]}, "a tensor of shape"),
        (STRING, {"sizes": [1], "content": b"a"}, "got 0 and 1 bytes"),
        (BOOL, {"sizes": [2], "content": b"\0\2"}, "bytes other than 0"),
    ],
)
def test_tensors_that_contradict_themselves(dtype, fields, message):
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        array_of(Tensor(dtype=dtype, **fields))
    sound = Tensor()
    put_array(sound, np.arange(3))
    with pytest.raises(ValueError, match="read-only"):
        array_of(sound)[0] = 1


def test_attributes_come_back_with_their_types():
    attrs = {"nothing": None, "yes": True, "number": -5, "seed": 2**64 + 1}
    attrs |= {"real": 0.1, "infinite": float("-inf"), "text": "ü", "octets": b"\xff"}
    attrs |= {"empty": (), "nested": ((1, None), ("new", (2, (True,))))}
    message = Instruction()
    put_attributes(message.attributes, attrs)
    found = attributes_of(message.attributes)
    assert found == attrs
    assert [type(v) for v in found.values()] == [type(v) for v in attrs.values()]
    with pytest.raises(TypeError, match="'odd' is a object, which cannot be sent"):
        put_attributes(Instruction().attributes, {"odd": object()})


def attribute(name, **value):
    return schema.Attribute.pb()(name=name, value=schema.Value.pb()(**value))


def deep(levels):
    value = schema.Value.pb()(integer=1)
    for _ in range(levels):
        outer = schema.Value.pb()()
        outer.sequence.items.add().CopyFrom(value)
        value = outer
    return schema.Attribute.pb()(name="deep", value=value)


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ([attribute("a")], "'a' has no value"),
        ([attribute("a", truth=True)] * 2, "'a' occurs twice"),
        ([attribute("a", large_integer="1e9")], "'a' is not an integer"),
        ([attribute("a", large_integer="9" * 1000)], "'a' is not an integer"),
        ([deep(20)], "'deep' are nested too deeply"),
    ],
)
def test_attributes_that_make_no_sense(attributes, message):
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        attributes_of(attributes)


def test_a_program_comes_back_the_same():
    x = tf.placeholder(tf.float32, [None, 2], name="x")

    def computation(a):
        turned = tf.while_loop(lambda i, t: i < 3, lambda i, t: (i + 1, t * a), [0, a])
        return tf.cond(tf.reduce_sum(a) > 0, lambda: turned[1], lambda: a)

    (y,) = tf.tpu.rewrite(computation, [x])
    program = lower([y], [], [x])
    bundle = Bundle()
    put_program(bundle, program)
    again = program_of(Bundle.FromString(bundle.SerializeToString()))
    assert [(i.op, i.name, i.inputs, i.outputs) for i in again.all_instrs()] == [
        (i.op, i.name, i.inputs, i.outputs) for i in program.all_instrs()
    ]
    for there, here in zip(again.all_instrs(), program.all_instrs(), strict=True):
        assert (there.specs, there.core) == (here.specs, here.core)
        assert str(there.site) == str(here.site)
        assert list(there.attrs) == list(here.attrs)
    assert (again.parameters, again.results) == (program.parameters, program.results)


def bundle_of(*programs):
    bundle = Bundle()
    for instructions in programs:
        program = bundle.programs.add()
        for fields in instructions:
            program.instructions.add(**fields)
    return bundle


BRANCH = {"op": "If", "inputs": [0]}
NOTHING = {"op": "NoOp"}


@pytest.mark.parametrize(
    ("bundle", "message"),
    [
        (bundle_of(), "0 of 0 programs are not inside another"),
        (bundle_of([NOTHING], [NOTHING]), "2 of 2 programs are not inside another"),
        (bundle_of([{"op": "If", "blocks": [0, 0]}]), "does not precede it"),
        (bundle_of([{"op": "If", "blocks": [1, 1]}]), "does not precede it"),
        (bundle_of([], [{"op": "If", "blocks": [0, 0]}]), "inside another one"),
        (bundle_of([], [], [BRANCH | {"blocks": [0]}]), "expected \\[0, 0\\]"),
        (bundle_of([{"op": "Exec"}]), "unknown operation 'Exec'"),
        (bundle_of([NOTHING | {"inputs": [3]}]), "NoOp"),
        (bundle_of([NOTHING | {"core": -2}]), "placed on core -2"),
        (bundle_of([NOTHING | {"outputs": [0]}]), "1 outputs and 0 specs"),
        (bundle_of([], [NOTHING | {"blocks": [0]}]), "contains programs"),
        (bundle_of([{"op": "While"}]), "'loop_variables' is missing"),
        (bundle_of([{"op": "Neg"}]), "0 inputs, expected 1"),
        (bundle_of([{"op": "Neg", "inputs": [4]}]), "slot 4, which nothing wrote"),
    ],
)
def test_programs_that_make_no_sense(bundle, message):
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        program_of(bundle)


def test_programs_that_stand_too_deep():
    with pytest.raises(tf.errors.InvalidArgumentError, match="more than 64 deep"):
        program_of(chain(70))
    assert program_of(chain(60))


def chain(length):
    """A program in a program in a program, and so on."""
    bundle = Bundle()
    bundle.programs.add()
    unset = ("assignment", "job", "padding", "topology")
    values = {name: {"none": True} for name in unset}
    values |= {"xla_options": {"sequence": {}}, "replicas": {"integer": 1}}
    values["inputs_per_replica"] = {"integer": 0}
    for inside in range(length - 1):
        step = bundle.programs.add().instructions.add(op="TPUReplicate")
        for name, value in values.items():
            step.attributes.append(attribute(name, **value))
        step.blocks.append(inside)
    return bundle


def passed(error):
    """Return what arrives of an error."""
    message = Fault()
    put_fault(message, error)
    return error_of(message)


@pytest.mark.parametrize(
    "name", ["Cancelled", "DataLoss", "InvalidArgument", "OutOfRange"]
)
def test_an_error_comes_back_the_same(name):
    kind = getattr(tf.errors, f"{name}Error")
    error = kind("no", op="add", site=CallSite("a.py", 3, "f", "f(x)"))
    error.__cause__ = ValueError("because")
    again = passed(error)
    assert type(again) is kind and str(again) == str(error)
    assert (again.op, again.site) == (error.op, error.site)
    assert str(again.__cause__).strip() == "because"


def test_other_exceptions_are_those_of_a_run_or_internal_errors():
    for error in (ValueError("a"), TypeError("b")):
        again = passed(error)
        assert type(again) is type(error) and str(again) == str(error)
    again = passed(ZeroDivisionError("oh"))
    assert isinstance(again, tf.errors.InternalError)
    assert "unexpected error: ZeroDivisionError: oh" in str(again)
    with pytest.raises(tf.errors.InvalidArgumentError, match="class 'SystemExit'"):
        error_of(Fault(builtin="SystemExit"))
