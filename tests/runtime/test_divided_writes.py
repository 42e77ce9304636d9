"""Writes that processes divide: the values are those of lockstep."""

import functools

import numpy as np
import pytest

import tpuref as tf
from tpuref.engine.runtime import replication
from tpuref.engine.runtime.pool.process.arrangement import PlacementPlan
from tpuref.engine.runtime.pool.process.divided_writes import share_of
from tpuref.engine.runtime.pool.process.schedule import readers_of

REPLICAS = 5
START = np.linspace(-1, 1, 20 * 30, dtype=np.float32).reshape(20, 30)


def variable(name):
    return tf.get_variable(name, initializer=START)


def adam(x):
    """Three weights in one loss, with norms clipped together."""
    loss = tf.add_n([tf.reduce_sum(tf.tanh(x @ variable(name))) for name in "abc"])
    optimizer = tf.tpu.CrossShardOptimizer(tf.train.AdamOptimizer(0.01))
    pairs = optimizer.compute_gradients(loss)
    clipped, _ = tf.clip_by_global_norm([g for g, _ in pairs], 5.0)
    step = tf.train.get_or_create_global_step()
    pairs = zip(clipped, (v for _, v in pairs), strict=True)
    with tf.control_dependencies([optimizer.apply_gradients(pairs, step)]):
        return tf.identity(loss)


def tied(x):
    """Writes with a large value in common, one of them an update."""
    a, b, c = variable("a"), variable("b"), variable("c")
    total = tf.tpu.cross_replica_sum(tf.matmul(x, a)) * 0.01
    total = tf.reduce_mean(total) * (a + b)
    writes = [a.assign(total), b.assign(total * 2.0), c.assign_sub(total)]
    with tf.control_dependencies(writes):
        return tf.reduce_sum(x)


def read_again(x):
    """A value that is read after it is written, and one that is a result."""
    a, b = variable("a"), variable("b")
    total = tf.tpu.cross_replica_sum(tf.reduce_sum(x)) * 0.01
    with tf.control_dependencies([a.assign(a - total)]):
        return a.read_value() + x[0, 0], b.assign(b * total)


def apart(x):
    """Values that differ by replica: that of replica 0 counts."""
    a, b = variable("a"), variable("b")
    halves = tf.tpu.cross_replica_sum(x, [[k] for k in range(REPLICAS)])
    change = tf.reduce_sum(halves) * 0.01
    with tf.control_dependencies([a.assign(x[:1, :1] * a), b.assign(b + change)]):
        return tf.reduce_sum(x)


def in_a_branch(x):
    """A variable that a branch writes, and another whose new value depends on it."""
    a, b = variable("a"), variable("b")
    mean = tf.tpu.cross_replica_sum(tf.reduce_mean(x)) * 0.01
    both = tf.cond(mean > -9.0, lambda: a.assign(a + x[0, 0]), lambda: a.read_value())
    with tf.control_dependencies([both]):
        change = b.assign(a + mean)
    with tf.control_dependencies([change]):
        return mean


def found(computation, *options, **settings):
    """Return the results of three runs and the values of all variables after each."""
    draw = np.random.default_rng(2)
    data = draw.standard_normal((REPLICAS, 7, 20)).astype(np.float32)
    turns = []
    settings = {"cores": REPLICAS, "timeout": 30.0, **settings}
    with tf.config.override(**settings), tf.Graph().as_default():
        out = tf.tpu.replicate(computation, [[tf.constant(x)] for x in data])
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for turn in range(3):
                turns.append(session.run(out, None, *options * (turn == 1)))
                turns.append(session.run(tf.global_variables()))
    return [np.asarray(x).tobytes() for x in tf.nest.flatten(turns)]


@functools.cache
def expected(computation):
    return found(computation, executor="lockstep")


@pytest.mark.parametrize("computation", [adam, tied, read_again, apart, in_a_branch])
@pytest.mark.parametrize("processes", [1, 2, 3, "cores"])
def test_values_are_those_of_lockstep(computation, processes):
    got = found(computation, executor="pool", processes=processes)
    assert got == expected(computation)


def test_values_of_all_replicas_are_compared():
    settings = {"executor": "pool", "processes": 2, "check_replicas": True}
    assert found(adam, **settings) == expected(adam)
    with pytest.raises(tf.errors.InvalidArgumentError, match="'a'"):
        found(apart, **settings)


def test_a_traced_run_between_others_has_all_operations_on_all_cores():
    metadata = tf.RunMetadata()
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    got = found(adam, options, metadata, executor="pool", processes=2)
    assert got == expected(adam)
    sqrts = [r.core for r in metadata.core_trace if "update_b/Sqrt" in r.operation]
    assert set(sqrts) == set(range(REPLICAS))


@pytest.mark.parametrize(
    ("computation", "handles"),
    [
        (
            adam,
            [x + slot for x in "abc" for slot in ("", "/Adam", "/Adam_1")]
            + ["beta1_power", "beta2_power", "global_step"],
        ),
        (tied, ["a", "b", "c"]),
        (read_again, []),
        (apart, []),
        (in_a_branch, []),
    ],
)
def test_each_write_has_one_process(computation, handles, monkeypatch):
    programs = []
    observers = [lambda instr, *_: programs.append(instr.blocks[0])]
    monkeypatch.setattr(replication, "OBSERVERS", observers)
    found(computation, executor="lockstep")
    program = programs[0]
    readers = readers_of(program, PlacementPlan(program, 1))
    shares = [share_of(program, readers, 3, k) for k in range(3)]
    sizes = sorted(len(share.handles) for share in shares)
    assert sizes == ([4, 4, 4] if computation is adam else [0, 0, len(handles)])
    assert sorted(h for share in shares for h in share.handles) == sorted(handles)
    for share in shares:
        out = [i for i in program.instrs if id(i) in share.left_out]
        gone = {i.attrs["handle"] for i in out if i.definition.writes}
        assert gone == set(handles) - share.handles
        assert not any(i.definition.collective for i in out)
        if computation is adam:
            assert sum("Sqrt" in i.name for i in out) == 4  # two of each other weight
            unread = {h for h in handles if "Adam" in h} | {"global_step"}
            assert share.unused == unread - share.handles
