"""A running pool, and the watch that nothing of it is left."""

import os
import pickle
import tempfile
import threading

import pytest

import tpuref as tf
from tpuref.engine.runtime.system import LOCAL

from .processes import cores_of, descriptors, eventually


class Planted:
    """Something that is code once it is unpickled."""

    def __init__(self, code):
        self._code = code

    def __reduce__(self):
        return exec, (self._code, {})


class Pool:
    """A session on a system of core processes."""

    def __init__(self, session):
        self.session = session

    def initialize(self):
        """Start the system, or start it again."""
        self.session.run(tf.tpu.initialize_system())

    @property
    def pids(self):
        """The processes of the cores."""
        return cores_of(os.getpid())

    @property
    def flags(self):
        """The host's view of the flags of the cores."""
        return self._cores.flags

    @property
    def _cores(self):
        return LOCAL._systems["localhost"]._executor._cores

    def plant(self, core, code):
        """Let a core run Python code when it takes its next message."""
        self._cores.post(core, ("program", -1, pickle.dumps(Planted(code))))

    @property
    def works(self):
        """Whether a sum over all cores comes out."""
        cores = tf.config.cores
        total = tf.tpu.replicate(tf.tpu.cross_replica_sum, [[float(2)]] * cores)
        return bool(self.session.run(total) == [(2.0 * cores,)] * cores)


@pytest.fixture
def make_pool():
    """Start pools of so many cores in one session, by default a process for each."""
    with tf.Session() as session, tf.config.override(executor="pool"):

        def make(cores, processes="cores"):
            tf.config.cores, tf.config.processes = cores, processes
            pool = Pool(session)
            pool.initialize()
            return pool

        yield make


@pytest.fixture
def pool(make_pool):
    """A pool of three cores."""
    return make_pool(3)


@pytest.fixture(autouse=True)
def nothing_is_left(tmp_path, monkeypatch, capfd):
    """No process, descriptor, thread, file or line on the standard error."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    monkeypatch.setenv("TMPDIR", str(scratch))
    LOCAL.reset()
    before = descriptors()
    threads = threading.active_count()
    yield
    LOCAL.reset()
    assert cores_of(os.getpid()) == []
    assert descriptors() == before
    assert eventually(lambda: threading.active_count() == threads, 1.0)
    assert os.listdir(scratch) == []
    assert capfd.readouterr().err == ""
