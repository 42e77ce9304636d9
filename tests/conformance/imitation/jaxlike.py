"""A thin imitation of tf.tpu over JAX: replicas are a mapped axis."""

import warnings
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from rules import (
    SUMMED,
    Operation,
    TensorShape,
    checked_groups,
    checked_inputs,
    functions_of,
    mapped,
    outputs,
    padded,
)

jax.config.update("jax_enable_x64", True)

__all__ = ["Operation", "TensorShape", "tpu"]
__version__ = "0.1"

Tensor = jax.Array
no_op = Operation
zeros, ones = (
    partial(jnp.zeros, dtype=jnp.float32),
    partial(jnp.ones, dtype=jnp.float32),
)
_AXIS = "replicas"


def constant(value, dtype=None):
    """Return the value as an array; Python numbers are 32 bits wide."""
    if isinstance(value, jax.Array):
        return value if dtype is None else value.astype(dtype)
    if dtype is None and not isinstance(value, (np.ndarray, np.generic)):
        dtype = {"f": jnp.float32, "i": jnp.int32}.get(np.asarray(value).dtype.kind)
    return jnp.asarray(value, dtype)


convert_to_tensor = constant


def _join(parts, axis):
    return jnp.stack(parts) if parts[0].ndim == 0 else jnp.concatenate(parts, axis)


class tpu:
    """The namespace."""

    @staticmethod
    def cross_replica_sum(x, group_assignment=None, name=None):
        """Sum over the replicas of a group."""
        if isinstance(x, dict):
            return mapped(lambda one: tpu.cross_replica_sum(one, group_assignment), x)
        if isinstance(x, (list, tuple)):
            x = jnp.stack([constant(one) for one in x])
        x = constant(x)
        try:
            replicas = jax.lax.axis_size(_AXIS)
        except NameError:
            warnings.warn("cross_replica_sum outside of replicas", stacklevel=2)
            return x
        if x.dtype.name not in SUMMED:
            raise TypeError(f"cannot sum {x.dtype}")
        group_of = np.zeros(replicas, np.int32)
        for number, group in enumerate(checked_groups(group_assignment, replicas)):
            group_of[group] = number
        mine = jnp.asarray(group_of)[jax.lax.axis_index(_AXIS)]
        everyone = jax.lax.all_gather(x, _AXIS)
        chosen = (jnp.asarray(group_of) == mine).reshape([-1] + [1] * x.ndim)
        kept = jnp.where(chosen, everyone, jnp.zeros_like(everyone))
        return kept.sum(axis=0, dtype=x.dtype)

    @staticmethod
    def replicate(
        computation,
        inputs=None,
        infeed_queue=None,
        device_assignment=None,
        name=None,
        maximum_shapes=None,
    ):
        """Run the computation once for each list of inputs."""
        each = checked_inputs(computation, inputs, constant)
        if maximum_shapes is not None:
            each = padded(each, maximum_shapes, jnp.pad)
        found = []

        def replica(_, leaves):
            # As a tree of JAX, a dictionary would lose the order of its keys.
            found[:] = [outputs(computation(*_filled(each[0], leaves)), constant)]
            return _leaves(found[0])

        rows = [jnp.stack(row) for row in zip(*map(_leaves, each), strict=True)]
        mapping = jax.vmap(replica, axis_name=_AXIS)
        results = mapping(jnp.arange(len(each)), rows)
        return [
            _filled(found[0], [one[i] for one in results]) for i in range(len(each))
        ]

    shard, rewrite = functions_of(replicate, constant, jnp.split, _join)

    @staticmethod
    def batch_parallel(
        computation,
        inputs=None,
        num_shards=1,
        infeed_queue=None,
        device_assignment=None,
        name=None,
    ):
        """Split along dimension 0."""
        return tpu.shard(computation, inputs, num_shards)


def _leaves(nest):
    """Return the tensors of a nest in their order."""
    leaves = []
    mapped(lambda one: isinstance(one, Operation) or leaves.append(one), nest)
    return leaves


def _filled(nest, leaves):
    """Return the nest with these tensors."""
    each = iter(leaves)
    return mapped(lambda one: one if isinstance(one, Operation) else next(each), nest)
