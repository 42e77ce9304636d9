"""Steps of three kinds on all executors, and the time of a step by number of cores."""

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

import tpuref as tf
from tpuref.engine.runtime.system import LOCAL, LOCAL_JOB, System
from tpuref.tools.benchmarks.clock import seconds_of
from tpuref.tools.benchmarks.contest import Samples, interleaved, settled
from tpuref.tools.benchmarks.extent import Extent
from tpuref.tools.benchmarks.model_steps import built_model, verify_model
from tpuref.tools.benchmarks.models import MODELS
from tpuref.tools.benchmarks.peers.process import Peer, absent, running_peers
from tpuref.tools.benchmarks.step_kinds import (
    BATCH,
    RATE,
    elementwise,
    expected_loss,
    fresh_weights,
    sample,
)
from tpuref.tools.benchmarks.table import Goal, Row, Table, fastest, times_as_fast

POOL, LOCKSTEP, XLA = "pool", "lockstep", "xla"
JAX, JIT = "JAX pmap", "JAX jit of vmap"

CORES = 2, 8
GROWTH = 1, 2, 4, 8, 16, 64, 256
ROUNDS = 7

CALLS = {"x + 1": 200, "100 operations": 100, "training": 20}
"""The calls per measurement of each kind of step."""

MODEL_CALLS = {"ResNet": 3, "transformer": 5}
"""The calls per measurement of each model."""

OF_HAND_WRITTEN = 1 / 1.2
"""The target of XLA's training speed relative to the best hand-written JAX."""

TRAINED = "training", *MODEL_CALLS

TARGETS = {
    ("x + 1", 2): 1 / 0.8,
    ("x + 1", 8): 1 / 0.5,
    ("100 operations", 2): 1 / 1.5,
    ("100 operations", 8): 1 / 1.5,
    ("training", 2): 1.0,
    ("training", 8): 1.0,
}
"""The targets of the pool's speed relative to JAX's pmap."""

NOT_SLOWER = 1 / 1.1
"""The target of the pool's speed relative to lockstep."""

LARGEST_GROWTH = 3.0
"""The limit of the time with the most cores, relative to eight cores."""


def tables(extent: Extent) -> list[Table]:
    """Measure, and return the tables."""
    return [_kinds(extent), _on_xla(extent), _growth(extent)]


def _kinds(extent: Extent) -> Table:
    missing = absent(["jax"], extent.peers)
    lost = dict.fromkeys((XLA, JAX, JIT), missing["jax"]) if missing else {}
    columns = [POOL, LOCKSTEP, XLA, JAX, JIT]
    executors = [name for name in columns[:3] if name not in lost]
    table = Table("steps", "Steps on the executors", columns, missing=lost)
    for cores in CORES:
        with running_peers({"jax"} - missing.keys(), cores, extent.report) as peers:
            for kind in CALLS:
                samples = _samples(kind, cores, executors, peers, extent)
                table.add(_row(kind, cores, samples), extent.report)
    return table


def _samples(
    kind: str,
    cores: int,
    executors: Sequence[str],
    peers: Mapping[str, Peer],
    extent: Extent,
) -> Samples:
    """Return the seconds of one step of each contestant."""
    calls = {**CALLS, **MODEL_CALLS}[kind]
    by_peers = {
        name: peer.asked(f"{kind}, {how}", 0, calls)
        for peer in peers.values()
        for name, how in ((JAX, "pmap"), (JIT, "jit"))
    }
    with contextlib.ExitStack() as stack:
        timed = {
            name: seconds_of(stack.enter_context(_step(kind, cores, name)), calls)
            for name in executors
        }
        return interleaved(settled({**timed, **by_peers}), _rounds(extent))


def _row(kind: str, cores: int, samples: Samples) -> Row:
    goals = [
        Goal(other, _factor(samples, POOL, other), target)
        for other, target in ((JAX, TARGETS[kind, cores]), (LOCKSTEP, NOT_SLOWER))
    ]
    return Row(point={"step": kind, "cores": str(cores)}, samples=samples, goals=goals)


def _on_xla(extent: Extent) -> Table:
    """Compare the XLA executor with hand-written JAX."""
    columns, cores = [XLA, POOL, JAX, JIT], CORES[-1]
    missing = absent(["jax"], extent.peers)
    lost = dict.fromkeys((XLA, JAX, JIT), missing["jax"]) if missing else {}
    title = f"Steps of {cores} replicas, compiled by XLA"
    table = Table("steps-xla", title, columns, missing=lost)
    if missing:
        return table
    with running_peers({"jax"}, cores, extent.report) as peers:
        for kind in CALLS if extent.quick else [*CALLS, *MODEL_CALLS]:
            samples = _samples(kind, cores, (XLA, POOL), peers, extent)
            goals = [Goal(JAX, _factor(samples, XLA, JAX), 1.0)]
            best = fastest(samples, (JAX, JIT))
            if kind in TRAINED and best is not None:
                factor = times_as_fast(samples, XLA, best)
                goals.append(Goal(f"{best}, the best", factor, OF_HAND_WRITTEN))
            point = {"step": kind, "cores": str(cores)}
            table.add(Row(point=point, samples=samples, goals=goals), extent.report)
    return table


def _factor(samples: Samples, own: str, other: str) -> float | None:
    """Return the relative speed, None if the other was not measured."""
    return times_as_fast(samples, own, other) if other in samples else None


def _growth(extent: Extent) -> Table:
    title = f"The training step of {BATCH} samples, on more and more cores"
    table = Table("steps-growth", title, [POOL])
    numbers = GROWTH[:4] if extent.quick else GROWTH
    with contextlib.ExitStack() as stack:
        timed = {
            str(cores): seconds_of(
                stack.enter_context(_step("training", cores, "pool")), CALLS["training"]
            )
            for cores in numbers
        }
        samples = interleaved(settled(timed), _rounds(extent))
    for cores in numbers:
        goals = []
        if cores == numbers[-1] and cores > 8:
            factor = times_as_fast(samples, str(cores), "8")
            goals = [Goal("8 cores", factor, 1 / LARGEST_GROWTH)]
        own = {POOL: samples[str(cores)]}
        table.add(Row({"cores": str(cores)}, own, goals=goals), extent.report)
    return table


def _rounds(extent: Extent) -> int:
    return extent.rounds if extent.quick else max(ROUNDS, extent.rounds)


@contextlib.contextmanager
def _step(kind: str, cores: int, executor: str) -> Iterator[Callable[[], Any]]:
    """Start a separate system, check a step, and yield a function that runs one."""
    system = System(LOCAL_JOB)
    with (
        tf.Graph().as_default(),
        tf.Session() as session,
        contextlib.closing(system),
        LOCAL.with_system(system),
    ):
        with tf.config.override(cores=cores, executor=executor):
            session.run(tf.tpu.initialize_system())
        fetches, check = _build(session, kind, cores)
        once = session.make_callable(fetches)

        def step() -> Any:
            with LOCAL.with_system(system):
                return once()

        check(step)
        yield step


def _build(
    session: tf.Session, kind: str, cores: int
) -> tuple[Any, Callable[[Callable[[], Any]], None]]:
    """Build a step; return its fetches and a function that checks the first steps."""
    if kind in MODELS:
        fetches, variables = built_model(session, kind, cores)
        return fetches, partial(verify_model, session, kind, variables)
    check = partial(_verify, kind)
    if kind == "training":
        return trained(session, cores), check
    computation = elementwise if kind == "100 operations" else (lambda x: x + 1)
    inputs = [[tf.constant(sample(r))] for r in range(cores)]
    return tf.tpu.replicate(computation, inputs), check


def trained(session: tf.Session, cores: int) -> Any:
    """Build two layers that all cores train, each on its share of one batch."""
    images, labels, first, second = fresh_weights()
    weights = [tf.Variable(first), tf.Variable(second)]

    def computation(x: Any, y: Any) -> Any:
        a, b = (weight.read_value() for weight in weights)
        hidden = tf.maximum(tf.matmul(x, a), 0.0)
        error = (tf.nn.softmax(tf.matmul(hidden, b)) - y) / BATCH
        back = tf.matmul(error, b, transpose_b=True) * tf.cast(hidden > 0, tf.float32)
        gradients = [
            tf.matmul(x, back, transpose_a=True),
            tf.matmul(hidden, error, transpose_a=True),
        ]
        updates = [
            tf.assign_sub(weight, RATE * tf.tpu.cross_replica_sum(gradient))
            for weight, gradient in zip(weights, gradients, strict=True)
        ]
        with tf.control_dependencies(updates):
            return tf.reduce_sum(error * error)

    shares = zip(np.split(images, cores), np.split(labels, cores), strict=True)
    inputs = [[tf.constant(x), tf.constant(y)] for x, y in shares]
    fetches = tf.tpu.replicate(computation, inputs)
    session.run(tf.global_variables_initializer())
    return fetches


def _verify(kind: str, step: Callable[[], Any]) -> None:
    """Raise AssertionError unless the first steps have the results of NumPy."""
    if kind == "training":
        for expected in expected_loss(2):
            total = sum(float(loss) for (loss,) in step())
            np.testing.assert_allclose(total, expected, rtol=1e-3)
        return
    computation = elementwise if kind == "100 operations" else (lambda x: x + 1)
    for replica, (result,) in enumerate(step()):
        np.testing.assert_allclose(result, computation(sample(replica)), rtol=1e-5)
