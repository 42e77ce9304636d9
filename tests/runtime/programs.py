"""Instructions that tests of several modules write by hand, and fusions of them."""

import numpy as np

import tpuref as tf
from tpuref.base.callsite import CallSite
from tpuref.engine.program import Instr
from tpuref.engine.runtime.pool.process.fusion import Fusion

SLOTS = 80
"""As many as the largest of the programs has."""


def instr(op, inputs, output, gives=tf.float32, shape=None, **attrs):
    """Return an instruction with one output, of the dtype `gives`."""
    spec, site = tf.TensorSpec(shape, gives), CallSite("program.py", 1, "computation")
    return Instr(op, op, tuple(inputs), (output,), attrs, (spec,), 0, site)


def fusion_of(program, cores, wanted, known=None, counter=None):
    """Return the fusion of a program whose operations are numbered from 1."""
    numbers = range(1, 1 + len(program))
    counter = memoryview(bytearray(8)).cast("Q") if counter is None else counter
    return Fusion(program, numbers, cores, known or {}, wanted, {}, {}, counter)


def fused(fusion, columns):
    """Run a fusion, and return the values of all slots."""
    values = [columns.get(slot) for slot in range(SLOTS)]
    assert fusion.run(values)
    return values


def one_by_one(program, cores, columns, known):
    """Return the columns with what each core gets by itself."""
    columns = {**columns, **{slot: [array] * cores for slot, array in known.items()}}
    for each in program:
        compute = each.definition.kernel
        assert compute is not None
        columns[each.outputs[0]] = [
            np.asarray(compute(*(columns[s][core] for s in each.inputs), **each.attrs))
            for core in range(cores)
        ]
    return columns


def require_same(values, expected, slots):
    """Require the expected arrays in some slots, contiguous and bit for bit."""
    for slot in slots:
        for array, wanted in zip(values[slot], expected[slot], strict=True):
            assert isinstance(array, np.ndarray) and array.flags.c_contiguous
            assert array.shape == wanted.shape, slot
            assert array.tobytes() == wanted.tobytes(), slot
