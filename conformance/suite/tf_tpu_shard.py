"""Checks of tf.tpu.shard and tf.tpu.shard_dyn.

The page lists both names without an entry of their own; the statements are those of
the release that the page describes.
"""

import inspect

import numpy as np

from ..clause import clause, expect_raises, same
from ..probes import fixed_system, static_shape
from . import tf_tpu_batch_parallel
from .tf_tpu_page import function_clause, run_checks, run_every_check

DEFAULTS = [
    ("computation", inspect.Parameter.empty),
    ("inputs", None),
    ("num_shards", 1),
    ("input_shard_axes", None),
    ("outputs_from_all_shards", True),
    ("output_shard_axes", None),
    ("infeed_queue", None),
    ("device_assignment", None),
    ("name", None),
]

GRID = np.arange(24, dtype=np.float32).reshape(4, 6)


@function_clause("tf.tpu.shard/name/parameters")
def parameters(tf, shard):
    declared = list(inspect.signature(shard).parameters.values())[: len(DEFAULTS)]
    same([parameter.name for parameter in declared], [name for name, _ in DEFAULTS])
    for parameter, (name, default) in zip(declared, DEFAULTS):
        assert parameter.default is default, f"default of {name}: {parameter.default!r}"


@function_clause("tf.tpu.shard/name/splits-along-axes")
def splits_along_axes(tf, shard):
    seen = []

    def computation(piece):
        seen.append(static_shape(piece))
        return piece

    out = shard(
        computation,
        [tf.constant(GRID)],
        num_shards=2,
        input_shard_axes=[1],
        output_shard_axes=[1],
    )
    same(seen[0], [4, 3])
    with fixed_system(tf, cores=2) as session:
        same(session.run(out), [GRID])
    flat = np.arange(6, dtype=np.float32)
    two = shard(
        lambda a, b: (b, a),
        [tf.constant(GRID), tf.constant(flat)],
        num_shards=3,
        input_shard_axes=[1, 0],
        output_shard_axes=[0, 1],
    )
    with fixed_system(tf, cores=3) as session:
        same(session.run(two), [flat, GRID])


@function_clause("tf.tpu.shard/name/inputs-list-or-none")
def inputs_list_or_none(tf, shard):
    x = tf.zeros([4])
    for inputs in (None, []):
        shard(lambda: tf.ones([1]), inputs, num_shards=2)
    for inputs in ((x,), x, {"x": x}):
        expect_raises(TypeError, shard, lambda piece: piece, inputs, num_shards=2)


@function_clause("tf.tpu.shard/name/num-shards-count")
def num_shards_count(tf, shard):
    for num_shards in (1, 2, 4):
        out = shard(lambda: tf.ones([1]), num_shards=num_shards)
        with fixed_system(tf, cores=num_shards) as session:
            same(session.run(out), [[1.0] * num_shards])


@function_clause("tf.tpu.shard/name/input-axes-default-zero")
def input_axes_default_zero(tf, shard):
    seen = []

    def computation(piece):
        seen.append(static_shape(piece))
        return piece * 2.0

    out = shard(computation, [tf.constant(GRID)], num_shards=2)
    same(seen[0], [2, 6])
    with fixed_system(tf, cores=2) as session:
        same(session.run(out), [GRID * 2])
    out = shard(
        lambda a, b: (a * 2.0, b + 1.0),
        [tf.constant(GRID), tf.constant(GRID)],
        num_shards=4,
    )
    with fixed_system(tf, cores=4) as session:
        same(session.run(out), [GRID * 2, GRID + 1.0])


@function_clause("tf.tpu.shard/name/input-axis-divisible")
def input_axis_divisible(tf, shard):
    for axis, num_shards in ((1, 4), (0, 3), (1, 5)):
        expect_raises(
            ValueError,
            shard,
            lambda piece: piece,
            [tf.constant(GRID)],
            num_shards=num_shards,
            input_shard_axes=[axis],
        )
    tensors = [tf.constant(GRID), tf.zeros([7])]
    expect_raises(ValueError, shard, lambda a, b: a, tensors, num_shards=2)


@function_clause("tf.tpu.shard/name/outputs-from-all-shards-true")
def outputs_from_all_shards_true(tf, shard):
    out = shard(
        lambda piece: piece,
        [tf.constant(GRID)],
        num_shards=2,
        outputs_from_all_shards=True,
        output_shard_axes=[1],
    )
    with fixed_system(tf, cores=2) as session:
        same(session.run(out), [np.concatenate([GRID[:2], GRID[2:]], axis=1)])
    with fixed_system(tf, cores=4) as session:
        out = shard(lambda piece: piece, [tf.constant(GRID)], num_shards=4)
        same(session.run(out), [GRID])


@function_clause("tf.tpu.shard/name/outputs-from-all-shards-false")
def outputs_from_all_shards_false(tf, shard):
    x = tf.constant([0.0, 1.0, 2.0, 3.0])
    out = shard(lambda piece: piece, [x], num_shards=2, outputs_from_all_shards=False)
    with fixed_system(tf, cores=2) as session:
        _require_one_shard(session.run(out[0]))


def _require_one_shard(value):
    """Require the first or the second half of [0, 1, 2, 3]."""
    assert list(value) in ([0.0, 1.0], [2.0, 3.0]), value


@function_clause("tf.tpu.shard/name/outputs-from-all-shards-list")
def outputs_from_all_shards_list(tf, shard):
    def computation(piece):
        return piece, piece

    x = tf.constant([0.0, 1.0, 2.0, 3.0])
    mixed = shard(computation, [x], num_shards=2, outputs_from_all_shards=[True, False])
    both = shard(computation, [x], num_shards=2, outputs_from_all_shards=False)
    with fixed_system(tf, cores=2) as session:
        joined, single = session.run(mixed)
        same(joined, [0.0, 1.0, 2.0, 3.0])
        _require_one_shard(single)
        for value in session.run(both):
            _require_one_shard(value)
    for choices in ([True], [], [True, False, True]):
        expect_raises(
            ValueError,
            shard,
            computation,
            [x],
            num_shards=2,
            outputs_from_all_shards=choices,
        )


@function_clause("tf.tpu.shard/name/output-axes-default-zero")
def output_axes_default_zero(tf, shard):
    out = shard(lambda piece: piece, [tf.constant(GRID)], num_shards=2)
    with fixed_system(tf, cores=2) as session:
        same(session.run(out), [GRID])


@function_clause("tf.tpu.shard/name/output-axes-ignored-when-not-joined")
def output_axes_ignored_when_not_joined(tf, shard):
    x = tf.constant([0.0, 1.0, 2.0, 3.0])

    def build(axes):
        return shard(
            lambda piece: piece,
            [x],
            num_shards=2,
            outputs_from_all_shards=False,
            output_shard_axes=axes,
        )

    with fixed_system(tf, cores=2) as session:
        without = session.run(build(None))
        for axis in (0, 1, 5):
            same(session.run(build([axis])), without)
    expect_raises(ValueError, build, [0, 1])


@function_clause("tf.tpu.shard/name/captured-broadcast")
def captured_broadcast(tf, shard):
    x = tf.constant(7)
    out = shard(lambda: x + 3, num_shards=2)
    with fixed_system(tf, cores=2) as session:
        same(session.run(out), [[10, 10]])
    whole = tf.constant([1.0, 2.0, 3.0])
    out = shard(lambda piece: whole + piece, [tf.constant(GRID[:3, :3])], num_shards=3)
    with fixed_system(tf, cores=3) as session:
        same(session.run(out), [GRID[:3, :3] + np.array([1.0, 2.0, 3.0], np.float32)])


@function_clause("tf.tpu.shard/name/infeed-device-name")
def infeed_device_name(tf, shard):
    checks = [
        tf_tpu_batch_parallel.infeed_queue_appends_tuple,
        tf_tpu_batch_parallel.device_assignment_used,
        tf_tpu_batch_parallel.device_assignment_default,
        tf_tpu_batch_parallel.device_assignment_omitted_for_one_shard,
        tf_tpu_batch_parallel.device_assignment_omitted_for_all_cores,
        tf_tpu_batch_parallel.device_assignment_needed,
        tf_tpu_batch_parallel.device_assignment_needed_for_several_cores,
        tf_tpu_batch_parallel.name_no_effect,
    ]
    run_checks(tf, checks, shard)


@function_clause("tf.tpu.shard/name/returns-list")
def returns_list(tf, shard):
    two = shard(lambda piece: (piece, piece + 1.0), [tf.zeros([4])], num_shards=2)
    assert isinstance(two, list)
    same(len(two), 2)
    for tensor in two:
        assert isinstance(tensor, tf.Tensor)
        same(static_shape(tensor), [4])
    nothing = shard(lambda piece: None, [tf.zeros([4])], num_shards=2)
    assert isinstance(nothing, list)
    same([operation.type for operation in nothing], ["NoOp"])


@function_clause("tf.tpu.shard/name/raises-num-shards")
def raises_num_shards(tf, shard):
    for num_shards in (0, -1, -8):
        expect_raises(ValueError, shard, lambda: tf.ones([1]), num_shards=num_shards)
        expect_raises(ValueError, shard, lambda x: x, [tf.zeros([8])], num_shards)


@function_clause("tf.tpu.shard/name/raises-input-axes-length")
def raises_input_axes_length(tf, shard):
    for axes in ([0, 1], [], [0, 0, 0]):
        named = {"num_shards": 2, "input_shard_axes": axes}
        expect_raises(ValueError, shard, lambda x: x, [tf.constant(GRID)], **named)


@function_clause("tf.tpu.shard/name/raises-output-axes-length")
def raises_output_axes_length(tf, shard):
    for axes in ([0, 0], [], [0, 1, 0]):
        named = {"num_shards": 2, "output_shard_axes": axes}
        expect_raises(ValueError, shard, lambda x: x, [tf.constant(GRID)], **named)


@clause("tf.tpu.shard_dyn/name/same-as-plain")
def dyn_same_as_plain(tf):
    run_every_check(tf, tf.tpu.shard_dyn, "tf.tpu.shard")


@clause("tf.tpu.shard/behaviour/static-shapes")
def static_shapes(tf):
    seen = []

    def computation(piece):
        seen.append(piece.shape.as_list())
        return tf.reduce_sum(piece), piece, piece, piece

    out = tf.tpu.shard(
        computation,
        [tf.zeros([6, 4])],
        num_shards=3,
        outputs_from_all_shards=(True, True, True, False),
        output_shard_axes=(0, 0, 1, 1),
    )
    same(seen, [[2, 4]])
    same([tensor.shape.as_list() for tensor in out], [[3], [6, 4], [2, 12], [2, 4]])
    assert "shard_0" in out[3].op.name, out[3].op.name
    for count in (1, 2):
        (nothing,) = tf.tpu.shard(lambda: None, num_shards=count)
        assert "shard_0" in nothing.name, nothing.name
