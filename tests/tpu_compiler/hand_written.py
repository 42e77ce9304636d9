"""The steps of `tpuref bench steps` in JAX, compiled for a TPU by hand.

``hand_written.py KIND TARGET`` prints the peak memory of a core and its operations.
"""

import json
import sys

import numpy as np

from tpuref.tools.benchmarks.models import BATCH, HEADS, LENGTH, MODELS, WIDTH
from tpuref.tools.benchmarks.step_kinds import RATE, fresh_weights, training_step
from tpuref.tools.tpu_compiler import child  # first: it sets what libtpu reads
from tpuref.tools.tpu_compiler.targets import TARGETS

jax = child.jax
P = jax.sharding.PartitionSpec


def convolve(images, filters):
    kinds = ("NHWC", "HWIO", "NHWC")
    return jax.lax.conv_general_dilated(
        images, filters, (1, 1), "SAME", dimension_numbers=kinds
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
        seen = jax.nn.softmax(scores + later)
        heads = jax.numpy.einsum("bhqk,bkhd->bqhd", seen, v)
        x = x + heads.reshape(-1, LENGTH, WIDTH) @ mixed
        x = x + jax.nn.relu(normal(x) @ inner) @ outer
    return normal(x) @ last


SCORES = {"ResNet": resnet, "transformer": transformer}


def step_of(kind):
    """Return a core's loss and gradients, the first weights and the whole batch."""
    if kind == "training":
        images, labels, *weights = fresh_weights()

        def gradients(weights, x, y):
            loss, *found = training_step(jax.numpy, x, y, *weights)
            return loss, found

        return gradients, weights, (images, labels)
    model = MODELS[kind]()

    def loss(weights, x, y):
        each = jax.nn.log_softmax(SCORES[kind](weights, x)) * y
        return -each.sum() / (BATCH * model.labels[0, ..., 0].size)

    return jax.value_and_grad(loss), model.weights, (model.inputs, model.labels)


def main(kind, target):
    gradients, weights, batch = step_of(kind)

    def step(weights, x, y):
        loss, found = gradients(weights, x, y)
        total = jax.lax.psum(found, "cores")
        moved = [w - RATE * t for w, t in zip(weights, total, strict=True)]
        return moved, loss[None]

    wanted = TARGETS[target]
    devices = child.topologies.get_topology_desc(wanted.topology, "tpu").devices
    mesh = jax.sharding.Mesh(np.array(devices), ("cores",))
    mapped = jax.shard_map(
        step,
        mesh=mesh,
        in_specs=(P(), P("cores"), P("cores")),
        out_specs=(P(), P("cores")),
        check_vma=False,
    )
    shapes = jax.tree.map(
        lambda a: jax.ShapeDtypeStruct(a.shape, a.dtype), (weights, *batch)
    )
    found = jax.jit(mapped, donate_argnums=0).lower(*shapes).compile()
    memory = found.memory_analysis()
    peak = memory.argument_size_in_bytes + memory.output_size_in_bytes
    peak += memory.temp_size_in_bytes - memory.alias_size_in_bytes
    print(json.dumps({"peak": peak, "flops": found.cost_analysis()["flops"]}))
    print(memory, file=sys.stderr)


if __name__ == "__main__":
    main(*sys.argv[1:])
