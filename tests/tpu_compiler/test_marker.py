"""``pytest.mark.tpu(compiles=...)`` and ``tpuref.compiled_for``."""

import pytest

import tpuref as tf

from . import programs

pytest_plugins = ["pytester"]

TESTS = """
import pytest
import tpuref as tf

def run(function, *inputs):
    outputs = tf.tpu.shard(function, list(inputs), num_shards=8)
    with tf.Session() as session:
        session.run(outputs)

@pytest.mark.tpu(compiles="v3-8")
def test_sum(tpu_system):
    assert tpu_system.topology.num_tasks == 1
    run(tf.reduce_sum, tf.ones([8, 128]))

@pytest.mark.tpu(compiles="v3-8")
def test_mask(tpu_system):
    run(lambda x: tf.reduce_sum(tf.boolean_mask(x, x > 0.5)), tf.ones([8, 128]))

@pytest.mark.tpu(compiles="v3-8")
def test_nothing(tpu_system):
    pass
"""


def test_marker(pytester, compiler):
    pytester.makepyfile(TESTS)
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(
        ["*does not compile*", "*at *boolean_mask*", "*no replicated program ran*"]
    )


def test_compiled_for_needs_no_run(compiler):
    outputs, _ = programs.shard(programs.train, 16)
    report = tf.compiled_for(outputs, "v3-8,v6e-4")
    judged, other = (target["programs"][0] for target in report["targets"])
    assert judged["fits"] and judged["hbm"]["slots"] == judged["hbm"]["weights"]
    assert other["message"] == "not judged: it has 8 replicas, v6e-4 4 cores"
    assert not report.succeeded
    assert "v3-8 (8 cores): cluster/TPUReplicate compiles and fits" in str(report)


@pytest.mark.parametrize(
    ("name", "transfers"),
    [
        ("called", {"feeds", "fetches", "host call"}),
        ("dropout", {"feeds", "fetches"}),
        ("looped", {"feeds", "fetches"}),
    ],
)
def test_programs_that_compile(name, transfers, compiler):
    outputs, _ = programs.shard(getattr(programs, name), 16)
    report = tf.compiled_for(outputs, "v3-8")
    (program,) = report["targets"][0]["programs"]
    assert report.succeeded, program["message"]
    assert {one["kind"] for one in program["host_transfers"]} == transfers


def test_wrong_calls():
    total = tf.reduce_sum(tf.ones([3]))
    with pytest.raises(ValueError, match="must depend on a replicated computation"):
        tf.compiled_for(total, "v3-8")
    with pytest.raises(ValueError, match="there is no target 'v1-8'"):
        tf.compiled_for(total, "v1-8")


def test_unknown_shapes(compiler):
    x = tf.placeholder(tf.float32, [None, 3])
    outputs = tf.tpu.replicate(tf.reduce_sum, [[x]] * 8)
    with pytest.raises(ValueError, match="must have a known shape"):
        tf.compiled_for(outputs, "v3-8")
