"""The steps of `tpuref bench steps`, and BERT's, in JAX, compiled for a TPU by hand.

``hand_written.py KIND TARGET`` prints the peak memory of a core and its operations.
"""

import json
import sys
from pathlib import Path

import numpy as np

from tpuref.tools.benchmarks.models import BATCH, HEADS, LENGTH, MODELS, WIDTH
from tpuref.tools.benchmarks.step_kinds import RATE, fresh_weights, training_step
from tpuref.tools.tpu_compiler import child  # first: it sets what libtpu reads
from tpuref.tools.tpu_compiler.targets import TARGETS

sys.path.append(str(Path(__file__).parents[2] / "examples"))
import bert

import tpuref as tf

jax = child.jax
P = jax.sharding.PartitionSpec


def convolve(images, filters):
    return jax.lax.conv_general_dilated(
        images, filters, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
    )


def resnet(weights, images):
    first, *filters, last = weights
    x = jax.nn.relu(convolve(images, first))
    for inner, outer in zip(filters[::2], filters[1::2], strict=True):
        x = jax.nn.relu(x + convolve(jax.nn.relu(convolve(x, inner)), outer))
    return x.mean(axis=(1, 2)) @ last


def normal(x):
    x = x - x.mean(axis=-1, keepdims=True)
    return x * jax.lax.rsqrt((x * x).mean(axis=-1, keepdims=True) + 1e-6)


def transformer(weights, tokens):
    table, *layers, last = weights
    x = table[tokens]
    for first in range(0, len(layers), 6):
        query, key, value, mixed, inner, outer = layers[first : first + 6]
        q, k, v = (
            (normal(x) @ w).reshape(-1, LENGTH, HEADS, WIDTH // HEADS)
            for w in (query, key, value)
        )
        scores = jax.numpy.einsum("bqhd,bkhd->bhqk", q, k) * (WIDTH // HEADS) ** -0.5
        later = np.triu(np.full((LENGTH, LENGTH), np.float32(-1e9)), 1)
        heads = jax.numpy.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores + later), v)
        x = x + heads.reshape(-1, LENGTH, WIDTH) @ mixed
        x = x + jax.nn.relu(normal(x) @ inner) @ outer
    return normal(x) @ last


BERT = bert.parsed(["--layers=2", "--width=256", "--heads=4", "--vocabulary=4000"])


def bert_weights():
    """Return zeros with the names and shapes of the example's variables."""
    bert.Bert(BERT).loss(*map(tf.constant, bert.batch(BERT)))
    shapes = {v.op.name: v.shape.as_list() for v in tf.trainable_variables()}
    return {name: np.zeros(shape, np.float32) for name, shape in shapes.items()}


def bert_loss(weights, tokens, kinds, places, words):
    def own(name):
        return weights[f"bert/{name}"]

    def dense(x, name):
        return x @ own(f"{name}/kernel") + own(f"{name}/bias")

    def norm(x, name):
        x = x - x.mean(axis=-1, keepdims=True)
        x = x * jax.lax.rsqrt((x * x).mean(axis=-1, keepdims=True) + 1e-12)
        return x * own(f"{name}/gamma") + own(f"{name}/beta")

    def gelu(x):
        return 0.5 * x * (1 + jax.numpy.tanh(0.7978845608 * (x + 0.044715 * x * x * x)))

    def heads(x):
        return x.reshape(*x.shape[:2], BERT.heads, -1).swapaxes(1, 2)

    x = own("words")[tokens] + own("positions") + own("segments")[kinds]
    x = norm(x, "norm")
    bias = ((tokens > 0).astype("float32") - 1)[:, None, None] * 10000.0
    for n in (f"layer_{number}" for number in range(BERT.layers)):
        q, k, v = (heads(dense(x, f"{n}/{name}")) for name in ("query", "key", "value"))
        seen = jax.nn.softmax(q @ k.swapaxes(2, 3) * q.shape[-1] ** -0.5 + bias)
        read = (seen @ v).swapaxes(1, 2).reshape(x.shape)
        x = norm(x + dense(read, f"{n}/output"), f"{n}/attention_norm")
        x = norm(x + dense(gelu(dense(x, f"{n}/inner")), f"{n}/outer"), f"{n}/norm")
    x = jax.numpy.take_along_axis(x, places[..., None], axis=1)
    x = norm(gelu(dense(x, "head")), "head_norm")
    logits = x.reshape(-1, BERT.width) @ own("words").T + own("logits")
    labels = jax.nn.one_hot(words.reshape(-1), BERT.vocabulary)
    return -(jax.nn.log_softmax(logits) * labels).sum(1).mean()


SCORES = {"ResNet": resnet, "transformer": transformer}


def step_of(kind):
    """Return a core's loss and gradients, the first weights and the whole batch."""
    if kind == "training":
        images, labels, *weights = fresh_weights()

        def gradients(weights, x, y):
            loss, *found = training_step(jax.numpy, x, y, *weights)
            return loss, found

        return gradients, weights, (images, labels)
    if kind == "BERT":
        return jax.value_and_grad(bert_loss), bert_weights(), bert.batch(BERT)
    model = MODELS[kind]()

    def loss(weights, x, y):
        each = jax.nn.log_softmax(SCORES[kind](weights, x)) * y
        return -each.sum() / (BATCH * model.labels[0, ..., 0].size)

    return jax.value_and_grad(loss), model.weights, (model.inputs, model.labels)


def descend(weights, gradients):
    return [w - RATE * t for w, t in zip(weights, gradients, strict=True)]


def adam(state, gradients):
    weights, first, second, powers = state
    first = jax.tree.map(lambda m, g: m * 0.9 + 0.1 * g, first, gradients)
    second = jax.tree.map(lambda v, g: v * 0.999 + 0.001 * g * g, second, gradients)
    rate = 1e-4 * jax.numpy.sqrt(1 - powers[1]) / (1 - powers[0])
    weights = {
        name: w - rate * first[name] / (jax.numpy.sqrt(second[name]) + 1e-8)
        for name, w in weights.items()
    }
    return weights, first, second, (powers[0] * 0.9, powers[1] * 0.999)


def main(kind, target):
    gradients, weights, batch = step_of(kind)
    state = weights
    if kind == "BERT":
        state = weights, weights, weights, (np.float32(0.9), np.float32(0.999))

    def step(state, *own):
        loss, found = gradients(state[0] if kind == "BERT" else state, *own)
        total = jax.lax.psum(found, "cores")
        return (adam if kind == "BERT" else descend)(state, total), loss[None]

    wanted = TARGETS[target]
    devices = child.topologies.get_topology_desc(wanted.topology, "tpu").devices
    mapped = jax.shard_map(
        step,
        mesh=jax.sharding.Mesh(np.array(devices), ("cores",)),
        in_specs=(P(), *[P("cores")] * len(batch)),
        out_specs=(P(), P("cores")),
        check_vma=False,
    )
    shapes = jax.tree.map(
        lambda a: jax.ShapeDtypeStruct(a.shape, a.dtype), (state, *batch)
    )
    found = jax.jit(mapped, donate_argnums=0).lower(*shapes).compile()
    memory = found.memory_analysis()
    peak = memory.argument_size_in_bytes + memory.output_size_in_bytes
    peak += memory.temp_size_in_bytes - memory.alias_size_in_bytes
    print(json.dumps({"peak": peak, "flops": found.cost_analysis()["flops"]}))
    print(memory, file=sys.stderr)


if __name__ == "__main__":
    main(*sys.argv[1:])
