"""Instructions that tests of several modules write by hand."""

import tpuref as tf
from tpuref.base.callsite import CallSite
from tpuref.engine.program import Instr


def instr(op, inputs, output, **attrs):
    """Return an instruction with one output, of the dtype `gives` (float32)."""
    spec = tf.TensorSpec(None, attrs.pop("gives", tf.float32))
    site = CallSite("program.py", 1, "computation")
    return Instr(op, op, tuple(inputs), (output,), attrs, (spec,), 0, site)
