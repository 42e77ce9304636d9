"""Programs that a TPU does not run, and what it makes of those that it does."""

import pytest

import tpuref as tf
from tpuref.engine.runtime.replication import OBSERVERS
from tpuref.tools.tpu_compiler.jobs import judge
from tpuref.tools.tpu_compiler.request import Recorder
from tpuref.tools.tpu_compiler.targets import targets_of
from tpuref.tools.tpu_compiler.text import as_text

from . import programs

pytestmark = pytest.mark.usefixtures("compiler")


def program_of(outputs, target="v3-8"):
    """Return the report of the only program."""
    (program,) = tf.compiled_for(outputs, target)["targets"][0]["programs"]
    return program


def of_text():
    words = tf.placeholder(tf.string, [8])
    return tf.tpu.shard(lambda own: tf.equal(own, "a"), [words], num_shards=8)


def inverse():
    return tf.tpu.rewrite(lambda x: tf.linalg.inv(x), [tf.ones([8, 8])])


# What no TPU runs does not compile; what the lowering lacks is not judged.
@pytest.mark.parametrize(
    ("build", "compiles", "message", "line"),
    [
        ("text", False, "Equal: it takes text", "in text: return tf.cast(tf.eq"),
        ("called_for_text", False, "PyFunc: its output is text", "in on_host: return"),
        (of_text, False, "Equal: it is given text", "lambda own: tf.equal(own"),
        (inverse, None, "not judged: MatrixInverse: it has no", "tf.linalg.inv(x)"),
    ],
)
def test_what_is_refused_is_shown_with_its_line(build, compiles, message, line):
    if isinstance(build, str):
        outputs, _ = programs.shard(getattr(programs, build), 16)
    else:
        outputs = build()
    program = program_of(outputs)
    assert program["compiles"] is compiles
    assert message in program["message"]
    assert line in program["message_site"]


# A TPU has no unit for float64: several operations of float32 stand for each.
def test_double_numbers_are_computed_with_several_of_float32():
    x = tf.placeholder(tf.float32, [256, 256])

    def product(dtype):
        return tf.tpu.rewrite(lambda x: tf.matmul(x, x), [tf.cast(x, dtype)])

    single, double = (program_of(product(d)) for d in (tf.float32, tf.float64))
    assert (single["doubles"], double["products"]) == ([], [])
    assert "tf.matmul(x, x)" in double["doubles"][0]["site"]
    assert double["hbm"]["inputs"] == 2 * single["hbm"]["inputs"]
    assert double["flops"] > 3 * single["flops"]
    assert "operations compute float64, of which a TPU makes several" in as_text(
        {"targets": [{"target": "v3-8", "cores": 8, "programs": [double]}]}
    )


# Google's guide to the performance of TPUs: float32 is held in tiles of 8 by 128.
@pytest.mark.parametrize("rows", [5, 8])
def test_tiles_of_8_by_128(rows):
    x = tf.placeholder(tf.float32, [rows, 200])
    outputs = tf.tpu.rewrite(lambda x: tf.matmul(x, x, transpose_b=True), [x])
    (given,) = (p for p in program_of(outputs)["padding"] if p["op"] == "input 0")
    assert given["own_bytes"] == 4 * rows * 200
    assert given["bytes"] == 4 * 8 * 256
    assert given["tiles"] == [[1, 128], [0, 8]]
    grown = "a size of 5 is padded to 8 and " if rows == 5 else ""
    assert given["advice"] == f"{grown}a size of 200 is padded to 256"


# The compiler of a TPU needs the largest number of turns, to reserve memory for them.
def test_gradients_of_loops_with_a_largest_number_of_turns():
    outputs, _ = programs.shard(programs.kept_turns, 16)
    program = program_of(outputs)
    assert program["fits"], program["message"]


def test_each_logical_core_has_its_own_program():
    with tf.config.override(cores=8):
        with tf.Session() as session:
            topology = session.run(tf.tpu.initialize_system())
        placed = tf.contrib.tpu.device_assignment(topology, [1, 1, 2], num_replicas=4)
        x = tf.placeholder(tf.float32, [8, 128])
        outputs = tf.tpu.replicate(
            programs.two_cores, [[x, x]] * 4, device_assignment=placed
        )
        report = tf.compiled_for(outputs, "v3-8,v5e-4")
    judged, small = (target["programs"] for target in report["targets"])
    assert [p["name"][-1] for p in judged] == ["0", "1"]
    assert [p["fits"] for p in judged] == [True, True]
    assert [p["hbm"]["weights"] for p in judged] == [4 * 128 * 256, 4 * 256 * 1024]
    sent, received = (
        next(t for t in p["host_transfers"] if t["kind"] == "other logical cores")
        for p in judged
    )
    assert sent["to_host"] == received["from_host"] == 4 * 8 * 256
    first, second = (p["flops"] for p in judged)
    assert first == pytest.approx(2 * 8 * 128 * 256, rel=0.05)
    assert second == pytest.approx(2 * 2 * 8 * 256 * 1024, rel=0.15)
    why = "not judged: it has 4 replicas of 2 cores, v5e-4 4 cores"
    assert {p["message"] for p in small} == {why}


def run_and_judge(inputs, rows, **options):
    """Run a sum on replicas, once for each number of rows; return its report."""
    recorder = Recorder()
    OBSERVERS.append(recorder.observe)
    try:
        outputs = tf.tpu.replicate(tf.reduce_sum, inputs, **options)
        with tf.Session() as session:
            for count in rows:
                session.run(outputs, {inputs[0][0]: [[1.0] * 4] * count})
    finally:
        OBSERVERS.remove(recorder.observe)
    report = judge(recorder.requests.values(), targets_of("v3-8"))
    (program,) = report["targets"][0]["programs"]
    return report, program


def test_replicas_of_several_shapes_need_a_largest_one():
    with tf.config.override(cores=8):
        inputs = [[tf.placeholder(tf.float32, [None, 4])], *[[tf.ones([2, 4])]] * 7]
        _, program = run_and_judge(inputs, [3])
        assert program["message"].startswith("not judged: Sum: the replicas give it")
        _, program = run_and_judge(inputs, [3], maximum_shapes=[tf.TensorShape([5, 4])])
    assert program["fits"]
    assert program["shapes"] == ["float32[5, 4]"]


def test_shapes_that_make_a_program_compile_again():
    with tf.config.override(cores=8):
        x = tf.placeholder(tf.float32, [None, 4])
        report, program = run_and_judge([[x]] * 8, [2, 3, 2])
    assert (program["runs"], program["fits"]) == (3, True)
    assert program["shapes"] == ["float32[2, 4]", "float32[3, 4]"]
    assert "compiled again for each of these inputs:" in as_text(report)
