"""Programs in lockstep and compiled by XLA."""

import contextlib

import numpy as np
import pytest

import tpuref as tf
from tpuref.engine.runtime.system import LOCAL

MOST_DEVICES = 8

with contextlib.suppress(ImportError):
    import jax

    from tpuref.engine.runtime.xla.compiled import Compiled

    # Before JAX starts; each test chooses how many of them it uses.
    jax.config.update("jax_num_cpu_devices", MOST_DEVICES)

ONE_DEVICE = pytest.mark.parametrize("devices", [1], indirect=True)
"""For tests that compile next to nothing, or only in processes that they start."""


@pytest.fixture(params=[1, 4], autouse=True)
def devices(request):
    """How many devices XLA has: of them it takes the most that divide the replicas."""
    with tf.config.override(xla_devices=request.param):
        yield request.param


def evaluated(build, executor, runs=1):
    """Return what each run gives, and the variables afterwards."""
    LOCAL.reset()
    with tf.config.override(executor=executor), tf.Graph().as_default():
        fetches, fed = build()
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            given = [session.run(fetches, fed) for _ in range(runs)]
            return [*given, session.run(tf.global_variables())]


def replicated(computation, inputs):
    """Return the builder of a replicated computation, which is fed nothing."""
    return lambda: (tf.tpu.replicate(computation, inputs), None)


def require_bits_of_lockstep(build, runs=1):
    """Require that XLA gives each bit that lockstep gives."""
    expected, got = (evaluated(build, name, runs) for name in ("lockstep", "xla"))
    for a, b in zip(tf.nest.flatten(expected), tf.nest.flatten(got), strict=True):
        assert np.asarray(a).tobytes() == np.asarray(b).tobytes()


def require_near(expected, got):
    """Require that two structures are equal but for the rounding of numbers."""
    tf.nest.assert_same_structure(expected, got)
    for a, b in zip(tf.nest.flatten(expected), tf.nest.flatten(got), strict=True):
        if not hasattr(a, "dtype"):  # None, or text
            assert a == b
            continue
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        if a.dtype.kind == "f":
            near = pytest.approx(a.astype(float), rel=1e-5, abs=1e-6, nan_ok=True)
            assert b.astype(float) == near
        else:
            assert a.tolist() == b.tolist()


@pytest.fixture
def session():
    """A session whose programs are compiled by XLA."""
    pytest.importorskip("jax", reason="JAX is not installed")
    with tf.config.override(executor="xla"), tf.Session() as session:
        yield session


@pytest.fixture
def agree():
    """Compare XLA with lockstep, and return what both give."""

    def compare(build, runs=2):
        expected = evaluated(build, "lockstep", runs)
        got = evaluated(build, "xla", runs)
        require_near(expected, got)
        return got

    return compare


@pytest.fixture
def compiled(monkeypatch):
    """Return a function that returns the last program as XLA optimized it."""
    texts = []
    called = Compiled._call

    def note(self, run, *arguments):
        texts.append(self._function.lower(*arguments).compile().as_text())
        return called(self, run, *arguments)

    monkeypatch.setattr(Compiled, "_call", note)
    return lambda: texts[-1]
