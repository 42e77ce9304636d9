"""What tpuref says about an invalid replicated computation.

And what a caller gets for every kind of container.
"""

import collections
import functools

import numpy as np
from tpuref_conformance.clause import same
from tpuref_conformance.probes import infeed_queue

from ..messages import refused

ONES = np.ones(2)
Pair = collections.namedtuple("Pair", ["left", "right"])


def refused_inputs(tf, inputs, words):
    """Require the error of replicate with these inputs, with ``words`` in it."""
    refused(ValueError, words, tf.tpu.replicate, lambda *inputs: 1.0, inputs)


def refused_computation(tf, exception_type, computation, inputs, words):
    """Require the error of replicating this computation, with ``words`` in it."""
    refused(exception_type, words, tf.tpu.replicate, computation, inputs)


def test_replicas_differ(tf):
    words = ["replica 0 has 1, replica 2 has 2"]
    refused_inputs(tf, [[1.0], [1.0], [1.0, 2.0], [1.0]], words)
    words = ["replica 0 has 3, replica 1 has 2"]
    refused_inputs(tf, [[1.0] * 3, [1.0, 1.0], [1.0]], words)
    words = ["inputs[0][0] is a dict", "['a']", "inputs[2][0] is a dict", "['b']"]
    refused_inputs(tf, [[{"a": 1.0}], [{"a": 1.0}], [{"b": 1.0}]], words)
    words = ["inputs[0][0] is a tuple of length 1, inputs[1][0] is a list of length 1"]
    refused_inputs(tf, [[(1.0,)], [[1.0]]], words)


def test_tensors_differ(tf):
    words = ["inputs[0][0] is", "float32[]", "inputs[2][0] is", "int32[]"]
    refused_inputs(tf, [[1.0], [1.0], [2]], words)
    words = ["inputs[0][0]['a'][1] is", "int32[]", "inputs[1][0]['a'][1]", "float32[]"]
    refused_inputs(tf, [[{"a": [1.0, 2]}], [{"a": [1.0, 2.0]}]], words)
    two, three = tf.zeros([2]), tf.zeros([3])
    words = ["inputs[0][0] is", "float32[2] and", "inputs[2][0] is", "float32[3];"]
    refused_inputs(tf, [[two], [two], [three]], words)
    words = ["inputs[0][0][1] is", "float32[2]", "inputs[1][0][1] is", "float32[3]"]
    refused_inputs(tf, [[[two, two]], [[two, three]]], words)
    words = ["shapes must agree, unless maximum_shapes is given"]
    refused_inputs(tf, [[tf.placeholder(tf.float32, [None])], [two], [three]], words)


def test_number_of_inputs(tf):
    def require(computation, count, *words):
        refused_computation(tf, ValueError, computation, [[1.0] * count], words)

    def named(x, *, k, size=ONES, m):
        return x

    require(lambda x: x, 2, "(x) takes exactly 1 input, but gets 2 [")
    require(lambda x, y=1: x, 3, "(x, y=1) takes 1 to 2 inputs", "gets 3 [")
    words = ["(x, y, *z) takes at least 2 inputs,", "gets 1; missing: 'y' ["]
    require(lambda x, y, *z: x, 1, *words)
    require(lambda x, *, k: x, 1, "exactly 1 input and needs k by keyword (use")
    require(named, 1, "named(x, *, k, size=", "needs k, m by keyword")
    require(lambda x, y=1, **z: x, 0, "takes 1 to 2 inputs,", "gets 0; missing: 'x' [")
    require(lambda x, y=ONES: x, 3, "takes 1 to 2 inputs,", "gets 3 [")
    require(functools.partial(named, k=1, m=2), 2, "partial(x, *, k=1,", "exactly 1")
    words = ["computation must be callable, got 3"]
    refused_computation(tf, TypeError, 3, [[1.0]], words)
    queue = infeed_queue(tf, [tf.float32, tf.int32], [[2], [2]])
    words = ["gets 1 and 2 more from the infeed queue ["]
    refused(ValueError, words, tf.tpu.replicate, lambda x: x, [[1.0]], queue)


def test_unknown_device(tf):
    def on(device):
        def computation():
            with tf.device(device):
                return tf.constant(1.0, name="there")

        return computation

    def in_branch():
        return tf.cond(tf.constant(True), on("/device:GPU:0"), lambda: tf.constant(2.0))

    words = ["no device '/device:GPU:0'", "there'", "Use tf.device(tf.tpu.core(n))"]
    refused_computation(tf, ValueError, on("/device:GPU:0"), None, words)
    refused_computation(tf, ValueError, in_branch, None, words)
    for device in ("/cpu:0", "/device:TPU:0", tf.tpu.core(0), None):
        same(len(tf.tpu.replicate(on(device))), 1)


def test_returned(tf):
    def require(make, *words):
        refused_computation(tf, ValueError, make, None, words)

    def stop():
        return tf.no_op("stop")

    before = ["tensors before operations; element 0", "operation 'stop", "element 1 is"]
    require(lambda: (stop(), 1.0), *before)
    later = ["element 1 of its result is the operation 'stop", "element 3 is 5"]
    require(lambda: [1.0, stop(), stop(), 5, stop(), 6], *later)
    in_nest = ["the operation 'stop", "is at ['a'][1] in the nested structure"]
    require(lambda: {"a": [1.0, stop()]}, *in_nest)
    require(lambda: [[1.0], stop()], "is at [1] in the nested structure")
    require(lambda: object(), "the result of the computation is neither an operation")
    require(lambda: [1.0, object()], "computation at [1] is neither", "of type object")
    require(lambda: {"a": [tf.float32]}, "computation at ['a'][0] is neither")


def test_containers(tf):
    def result(make):
        found = tf.tpu.replicate(make, [[], []])
        same(len(found), 2)
        return found[1]

    for kind, make in (
        (list, lambda: [1.0, 2.0]),
        (tuple, lambda: (1.0, 2.0)),
        (Pair, lambda: Pair(1.0, 2.0)),
        (list, lambda: [1.0, 2.0, tf.no_op()]),
        (tuple, lambda: (1.0, 2.0, tf.no_op(), tf.no_op())),
    ):
        found = result(make)
        assert type(found) is kind, f"expected a {kind.__name__}, got {found!r}"
        names = [tensor.op.name.split("/")[-1].split("_")[:4] for tensor in found]
        same(names, [["output", str(k), "shard", "1"] for k in range(2)])
    found = result(lambda: Pair(1.0, tf.no_op()))
    assert type(found) is tuple, repr(found)
    same(len(found), 1)
    for make in (dict, list, tuple, tf.no_op, lambda: {"a": []}, lambda: [tf.no_op()]):
        found = result(make)
        same(found.type, "NoOp")
        same(found.name.split("/")[-1].split("_")[:2], ["shard", "1"])
        same([before.type for before in found.control_inputs], ["TPUReplicate"])


def test_a_computation_without_return(tf, caplog):
    v = tf.get_variable("v", initializer=0.0)

    def counting(x):
        tf.while_loop(lambda i: i < 3.0, v.assign_add, [x])

    def replicate(computation):
        tf.tpu.replicate(computation, [[1.0]] * 3)

    replicate(lambda x: x + 1.0)
    replicate(lambda x: [v.assign_add(x)][1:] or None)
    replicate(counting)
    assert not caplog.records
    replicate(lambda x: [x + 1.0][1:] or None)
    assert caplog.text.count("TPUREF-W034") == 1
