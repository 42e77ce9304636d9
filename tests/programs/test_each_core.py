"""What programs compute for each core alone: NumPy trains beside each executor."""

import numpy as np
import pytest

import tpuref as tf

STEPS, RATE, DECAY, WARM_UP, LIMIT = 6, 0.1, 0.01, 3, 0.5
DRAW = np.random.default_rng(9)
ROWS = DRAW.normal(size=(STEPS, 16, 3))
TARGETS = DRAW.normal(size=(STEPS, 16, 1))
START = {"w": DRAW.normal(size=(3, 1)), "bias": np.zeros(1)}


class DecayingAdam(tf.train.Optimizer):
    """Adam without bias correction, with decoupled weight decay, as BERT has it."""

    def __init__(self, rate):
        super().__init__(False, "DecayingAdam")
        self._rate = rate

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        updates = []
        for gradient, v in grads_and_vars:
            m, s = (
                tf.get_variable(
                    f"{v.op.name}_{slot}",
                    v.shape,
                    trainable=False,
                    initializer=tf.zeros_initializer(),
                )
                for slot in "ms"
            )
            mean = 0.9 * m + 0.1 * gradient
            square = 0.999 * s + 0.001 * gradient * gradient
            change = mean / (tf.sqrt(square) + 1e-6)
            if v.op.name != "bias":
                change += DECAY * v
            pairs = (m, mean), (s, square), (v, v - self._rate * change)
            updates += [variable.assign(value) for variable, value in pairs]
        return tf.group(*updates, global_step.assign_add(1))


def step(rows, targets):
    """Normalize over the core's rows, clip the core's gradients, add up, update."""
    w, bias = (
        tf.get_variable(name, initializer=value.astype("float32"))
        for name, value in START.items()
    )
    mean, variance = tf.nn.moments(rows, [0])
    normal = tf.nn.batch_normalization(rows, mean, variance, None, None, 1e-3)
    loss = tf.reduce_mean((tf.matmul(normal, w) + bias - targets) ** 2)
    count = tf.train.get_or_create_global_step()
    progress = tf.cast(count, tf.float32)
    rate = tf.train.polynomial_decay(RATE, count, 10, 0.0)
    rate = tf.where(progress < WARM_UP, RATE * progress / WARM_UP, rate)
    optimizer = tf.tpu.CrossShardOptimizer(DecayingAdam(rate))
    gradients, _ = tf.clip_by_global_norm(tf.gradients(loss, [w, bias]), LIMIT)
    pairs = list(zip(gradients, [w, bias], strict=True))
    return loss, optimizer.apply_gradients(pairs, count)


def by_numpy(cores):
    """Return the losses of each core and the weights after the steps."""
    weights = {name: value.copy() for name, value in START.items()}
    slots = {name: [np.zeros_like(v), np.zeros_like(v)] for name, v in START.items()}
    losses = []
    for turn in range(STEPS):
        parts, own = [], []
        for rows, targets in zip(
            np.split(ROWS[turn], cores), np.split(TARGETS[turn], cores), strict=True
        ):
            normal = (rows - rows.mean(0)) / np.sqrt(rows.var(0) + 1e-3)
            error = normal @ weights["w"] + weights["bias"] - targets
            own.append((error**2).mean())
            gradient = {
                "w": 2 * normal.T @ error / len(rows),
                "bias": 2 * error.mean(0),
            }
            length = np.sqrt(sum((g**2).sum() for g in gradient.values()))
            parts.append({n: g * min(1, LIMIT / length) for n, g in gradient.items()})
        rate = RATE * (turn / WARM_UP if turn < WARM_UP else 1 - turn / 10)
        for name, (m, s) in slots.items():
            # Only compute_gradients, which the program does not call, would divide.
            gradient = np.sum([part[name] for part in parts], 0)
            m[:] = 0.9 * m + 0.1 * gradient
            s[:] = 0.999 * s + 0.001 * gradient**2
            change = m / (np.sqrt(s) + 1e-6)
            decay = DECAY * weights[name] if name != "bias" else 0
            weights[name] = weights[name] - rate * (change + decay)
        losses.append(own)
    return np.array(losses), weights


@pytest.mark.parametrize("cores", [2, 4])
@pytest.mark.parametrize("executor", ["lockstep", "pool", "xla"])
def test_each_core_normalizes_and_clips_alone(executor, cores):
    if executor == "xla":
        pytest.importorskip("jax")
    expected, weights = by_numpy(cores)
    assert np.ptp(expected, axis=1).min() > 1e-2  # cores differ, as they must
    with tf.config.override(cores=cores, executor=executor):
        rows, targets = (tf.placeholder(tf.float32, [16, n]) for n in (3, 1))
        parts = [tf.split(x, cores) for x in (rows, targets)]
        done = tf.tpu.replicate(step, [list(x) for x in zip(*parts, strict=True)])
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for turn in range(STEPS):
                fed = {rows: ROWS[turn], targets: TARGETS[turn]}
                losses = [core[0] for core in session.run(done, fed)]
                np.testing.assert_allclose(losses, expected[turn], rtol=1e-5)
            for v in tf.trainable_variables():
                np.testing.assert_allclose(
                    session.run(v), weights[v.op.name], rtol=1e-5, atol=1e-6
                )
