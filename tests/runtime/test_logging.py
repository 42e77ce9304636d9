"""The logger tpuref: what it tells, with which fields, and that it is silent."""

import importlib.util
import logging
import os
import signal
from pathlib import Path
from typing import Any

import pytest

import tpuref as tf
from tpuref.engine.runtime.log import FIELDS, advice, logger
from tpuref.engine.runtime.pool.host import long_runs
from tpuref.engine.runtime.system import LOCAL

from ..pythons import python


@pytest.fixture
def records(caplog):
    """What was logged by an area."""
    caplog.set_level(logging.DEBUG, logger="tpuref")
    return lambda area: [r for r in caplog.records if r.name == f"tpuref.{area}"]


def replicated():
    return tf.tpu.replicate(lambda x: x + 1.0, [[1.0], [2.0]])


def test_a_life(records):
    with tf.config.override(executor="pool", cores=2), tf.Session() as session:
        session.run(tf.tpu.initialize_system())
        session.run(replicated())
        session.run(tf.tpu.shutdown_system())
        session.run(tf.tpu.initialize_system())
        session.run(tf.tpu.shutdown_system())
    started, sent, ended, again, _ = records("pool")
    assert started.levelname == "INFO" and "2 cores started in" in started.getMessage()
    assert sent.levelname == "DEBUG" and "3 instructions" in sent.getMessage()
    assert ended.getMessage() == "2 cores ended"
    assert again.epoch > started.epoch == sent.epoch == ended.epoch >= 1
    running, stopping, *_ = records("system")
    assert "mesh 1x1x2, 2 cores, executor pool" in running.getMessage()
    assert stopping.getMessage() == "the TPU system of job 'localhost' stops"
    assert {r.levelname for r in records("program")} == {"DEBUG"}
    assert "compiled a program of" in records("program")[0].getMessage()


@pytest.mark.parametrize("has_jax", [True, False])
def test_the_first_long_program_gets_advice_once(records, monkeypatch, has_jax):
    monkeypatch.setattr(long_runs, "_told", False)
    monkeypatch.setattr(long_runs, "SECONDS", 1e-9)
    spec = True if has_jax else None
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: spec)
    with tf.config.override(executor="pool", cores=2), tf.Session() as session:
        for _ in range(2):
            session.run(replicated())
    lines = [r.getMessage() for r in records("executor")]
    assert len(lines) == has_jax
    assert all("TPUREF_EXECUTOR=xla" in x and "W035" in x for x in lines)


def test_programs_that_xla_refuses_get_no_advice(records, monkeypatch):
    monkeypatch.setattr(long_runs, "_told", False)
    monkeypatch.setattr(long_runs, "SECONDS", 1e-9)
    with tf.config.override(executor="pool", cores=2), tf.Session() as session:
        session.run(tf.tpu.rewrite(tf.as_string, [1.0]))
    assert not records("executor")


def test_a_lost_core_is_a_warning_with_its_place(records):
    settings = tf.config.override(executor="pool", cores=2, processes="cores")
    with settings, tf.Session() as session:
        session.run(tf.tpu.initialize_system())
        fetch = replicated()
        session.run(fetch)
        executor: Any = LOCAL._systems["localhost"]._executor
        os.kill(executor.process_ids[1], signal.SIGKILL)
        with pytest.raises(tf.errors.AbortedError):
            session.run(fetch)
        session.run(tf.tpu.shutdown_system())
    (lost,) = (r for r in records("pool") if r.levelno == logging.WARNING)
    assert "lost core 1" in lost.getMessage() and "SIGKILL" in lost.getMessage()
    assert (lost.core, lost.replica, lost.run) == (1, 1, 2)


def test_a_program_can_format_the_fields_of_every_record():
    shown = []

    class Keeping(logging.Handler):
        def emit(self, record):
            shown.append(self.format(record))

    handler = Keeping()
    handler.setFormatter(logging.Formatter("%(core)s %(replica)s %(message)s"))
    logging.getLogger("tpuref").addHandler(handler)
    try:
        advice().warning("at the top")
        logger("here").warning("below", extra={"core": 3})
        tf.tpu.cross_replica_sum(tf.constant(1.0))
    finally:
        logging.getLogger("tpuref").removeHandler(handler)
    assert shown[:2] == ["None None at the top", "3 None below"]
    assert "outside a replicated computation" in shown[2]
    assert FIELDS == ("core", "replica", "run", "epoch")


SILENT = """
import tpuref as tf
with tf.config.override(cores=2), tf.Session() as session:
    session.run(tf.tpu.initialize_system())
    session.run(tf.tpu.replicate(lambda x: x + 1.0, [[1.0], [2.0]]))
    session.run(tf.tpu.shutdown_system())
"""
ADVISED = f"{SILENT}\ntf.tpu.cross_replica_sum(tf.constant(1.0))"
LISTENING = f"import logging; logging.basicConfig()\n{ADVISED}"


@pytest.mark.parametrize(
    ("program", "shown"),
    [(SILENT, ""), (ADVISED, "tf.tpu.cross"), (LISTENING, "WARNING:tpuref:tf.tpu")],
    ids=["silent", "advised", "listening"],
)
def test_only_advice_is_printed_unless_the_program_listens(program, shown):
    done = python("-c", program, env={"PYTHONPATH": str(Path(tf.__file__).parents[1])})
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith(shown) and done.stdout == ""
    assert done.stderr.count("\n") == bool(shown)
