"""The probes: what they read, and that a subject without them is unavailable."""

import contextlib
from types import SimpleNamespace

import pytest
from tpuref_conformance import probes
from tpuref_conformance.clause import Unavailable

import tpuref as tf
from tpuref.engine.runtime.executor import STARTS
from tpuref.engine.runtime.pool.host.pool import CorePool


class Session:
    """Records what is run; answers a topology, and the trace it was given."""

    def __init__(self, log, trace=None):
        self.log = log
        self.trace = trace

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.log.append("closed")

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        self.log.append(fetches)
        if run_metadata is not None and self.trace is not None:
            run_metadata.core_trace = self.trace
        return b"topology"


def subject(log):
    @contextlib.contextmanager
    def override(**settings):
        log.append(settings)
        yield
        log.append("restored")

    return SimpleNamespace(
        config=SimpleNamespace(override=override),
        Session=lambda: Session(log),
        tpu=SimpleNamespace(
            initialize_system=lambda: "initialize", shutdown_system=lambda: "shutdown"
        ),
        RunOptions=SimpleNamespace(FULL_TRACE=3),
        RunMetadata=SimpleNamespace,
    )


def record(replica, core):
    return SimpleNamespace(replica=replica, core=core)


def traced_subject():
    tf = subject([])
    tf.RunOptions = type("RunOptions", (), {"FULL_TRACE": 3, "__init__": options})
    return tf


def options(self, trace_level):
    assert trace_level == 3


def test_fixed_system_is_shut_down_after_a_failure():
    log = []
    with pytest.raises(AssertionError), probes.fixed_system(subject(log), 4):
        raise AssertionError
    assert log[-2:] == ["shutdown", "closed"]


def test_processes_of_the_pool_stay_until_another_is_needed(monkeypatch):
    kept = {}
    monkeypatch.setitem(STARTS, "pool", CorePool)  # not the cores of other tests
    monkeypatch.setattr(probes, "_KEPT", kept)
    monkeypatch.setattr(probes, "_KEPT_SYSTEMS", 1)

    def processes(cores, stopped=False):
        """Return the processes of a system that has just computed."""
        with tf.Graph().as_default(), probes.fixed_system(tf, cores) as session:
            if stopped:
                session.run(tf.tpu.shutdown_system())
            else:
                out = tf.tpu.replicate(tf.identity, [[k] for k in range(cores)])
                assert session.run(out) == [(k,) for k in range(cores)]
                return kept[cores]._executor.process_ids

    with tf.config.override(executor="pool"):
        first = processes(2)
        assert processes(2) == first
        processes(2, stopped=True)
        assert not set(processes(2)) & set(first)
        processes(1)
        assert list(kept) == [1]
    kept[1].close()


def test_core_of_each_replica_refuses_two_cores():
    sess = Session([], [record(0, 1), record(0, 2)])
    with pytest.raises(AssertionError, match=r"replica 0 used the cores \[1, 2\]"):
        probes.core_of_each_replica(traced_subject(), sess, "fetches")


@pytest.mark.parametrize(
    "look",
    [
        lambda tf: probes.fixed_system(tf, 2).__enter__(),
        probes.padded_shapes,
        lambda tf: probes.infeed_queue(tf, [], []),
        lambda tf: probes.assign_cores(tf, b"", [0]),
    ],
)
def test_a_subject_without_the_attribute_is_unavailable(look):
    with pytest.raises(Unavailable, match="no tf."):
        look(SimpleNamespace())


def test_a_run_without_a_trace_is_unavailable():
    with pytest.raises(Unavailable, match="core_trace"):
        probes.traced(traced_subject(), Session([]), "fetches")
