"""Perfetto's own trace processor opens what is written."""

import pytest

import tpuref as tf

perfetto = pytest.importorskip("perfetto.trace_processor", reason="needs perfetto")


@pytest.fixture(scope="module")
def processor(tmp_path_factory):
    """The processor, with the trace of a program on two cores open in it."""
    path = tmp_path_factory.mktemp("trace") / "trace.json"
    _trace(path)
    try:
        opened = perfetto.TraceProcessor(trace=str(path))
    except Exception as error:  # it downloads the program at its first use
        pytest.skip(f"the trace processor cannot be started here: {error}")
    yield opened
    opened.close()


def _trace(path):
    def computation(x):
        total = tf.tpu.cross_replica_sum(tf.square(x), name="total")
        return tf.tpu.outside_compilation(
            lambda: tf.py_func(lambda a: a, [total], tf.float32)
        )

    outputs = tf.tpu.replicate(computation, [[1.0], [2.0]])
    with (
        tf.config.override(executor="pool", cores=2),
        tf.Session() as session,
        tf.profiler.trace(path),
    ):
        session.run(outputs)


def test_nothing_is_amiss(processor):
    found = processor.query(
        "select name, value from stats where severity != 'info' and value > 0"
    )
    assert [(row.name, row.value) for row in found] == []


def test_tracks(processor):
    found = processor.query(
        "select thread.name as track, process.name as process, count(*) as slices "
        "from slice join thread_track on slice.track_id = thread_track.id "
        "join thread using (utid) join process using (upid) group by utid"
    )
    rows = {row.track: row.process for row in found}
    cores = "cores of job localhost"
    assert rows == {"MainThread": "host", "core 0": cores, "core 1": cores}


def test_arrows_lead_from_sum_to_sum(processor):
    found = processor.query(
        "select a.name as first, b.name as last, b.ts - a.ts as later from flow "
        "join slice a on slice_out = a.id join slice b on slice_in = b.id"
    )
    ((first, last, later),) = ((row.first, row.last, row.later) for row in found)
    assert (first, last) == ("total", "total") and later >= 0


def test_waits_lie_in_their_sums(processor):
    found = processor.query(
        "select inside.name as name, around.name as outer from slice inside "
        "join slice around on inside.parent_id = around.id where inside.name = 'wait'"
    )
    assert {row.outer for row in found} <= {"total"}


def test_counters(processor):
    found = processor.query(
        "select max(value) as total from counter join counter_track "
        "on counter.track_id = counter_track.id where name like 'core 1: summed%'"
    )
    assert [row.total for row in found] == [4.0]
