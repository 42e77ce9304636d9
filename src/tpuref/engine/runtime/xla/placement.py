"""The placement of replicas: the same number on each device, in replica order.

The program remains one function of all replicas, which XLA partitions: an array stacked
by replica has its rows on the devices of their replicas, other arrays are on all.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import io_callback
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from tpuref.base import error_codes as codes
from tpuref.base.errors import coded
from tpuref.engine.ops.arithmetic import widened
from tpuref.engine.ops.meaning import Array
from tpuref.engine.runtime.xla.devices import Device, chosen_devices
from tpuref.engine.runtime.xla.rules.sums import fold

AXIS = "replicas"

LARGEST_GATHERED = 1 << 16
"""The most bytes per replica that are gathered on each device and added in order."""


@functools.cache
def placement(replicas: int, setting: int | str | None) -> Placement:
    """Return the placement of replicas for a setting of `tf.config.xla_devices`."""
    devices = chosen_devices(setting)
    processes = sorted({device.process_index for device in devices})
    if replicas == 1:  # every process runs it by itself
        processes = [jax.process_index()]
    if replicas % len(processes):
        raise coded(
            ValueError,
            f"{replicas} replicas on {len(processes)} processes: expected the same "
            "number of replicas on each. Run the script on another number of hosts, or "
            "with another topology",
            code=codes.UNEVEN_SHARDS,
        )
    own = [[d for d in devices if d.process_index == process] for process in processes]
    each = replicas // len(processes)
    count = max(n for n in range(1, min(map(len, own)) + 1) if each % n == 0)
    return Placement(replicas, [device for some in own for device in some[:count]])


class Placement:
    """Replicas on devices, an equal part on each.

    `own` are the replicas on this process's devices; `stacked` and `shared` are the
    shardings of arrays stacked by replica, and of arrays that all share.
    """

    def __init__(self, replicas: int, devices: Sequence[Device]) -> None:
        self.replicas = replicas
        indices = sorted({device.process_index for device in devices})
        self.processes = len(indices)
        each, mine = replicas // self.processes, indices.index(jax.process_index())
        self.own = range(mine * each, (mine + 1) * each)
        self._devices = len(devices)
        self._mesh = Mesh(np.array(devices), (AXIS,))
        self.stacked = NamedSharding(self._mesh, PartitionSpec(AXIS))
        self.shared = NamedSharding(self._mesh, PartitionSpec())

    def layout(self, stacked: bool) -> NamedSharding:
        """Return the sharding of an array."""
        return self.stacked if stacked else self.shared

    def process_of(self, replica: int) -> int:
        """Return the number of the process that runs a replica."""
        return replica // len(self.own)

    # -- within a compiled program -----------------------------------------------

    def divided(self, rows: Any) -> Any:
        """Shard an array stacked by replica over the replicas' devices."""
        if self._devices == 1:
            return rows
        return jax.lax.with_sharding_constraint(rows, self.stacked)

    def everywhere(self, array: Any) -> Any:
        """Replicate an array to every device."""
        if self._devices == 1:
            return array
        return jax.lax.with_sharding_constraint(array, self.shared)

    def on_rows(
        self, function: Callable[..., Any], shared: Sequence[Any], stacks: Sequence[Any]
    ) -> Any:
        """Map a function over stacked arrays; each device computes its own rows.

        Its first argument is `shared`, arrays that all devices have.
        """
        # XLA would gather operands that it cannot partition, such as the images of a
        # convolution, and it refuses to partition arrays without elements.
        if self._devices == 1 or not all(stack.size for stack in stacks):
            return function(shared, *stacks)
        rows = PartitionSpec(AXIS)
        ins = PartitionSpec(), *[rows] * len(stacks)
        return self._on_each(function, ins, rows)(shared, *stacks)

    def total(self, rows: Any) -> Any:
        """Return the sum over all replicas."""
        # Small contributions are added in replica order, bit for bit as in lockstep.
        # Large ones are added on each device first, then between devices.
        large = rows[0].size * rows.dtype.itemsize > LARGEST_GATHERED
        if not large or self._devices == 1:
            whole = self.everywhere(rows)
            return fold([whole[replica] for replica in range(self.replicas)])

        def partial(own: Any) -> Any:
            wide = widened(own)
            return fold([wide[k] for k in range(wide.shape[0])])

        return jnp.asarray(self.added(partial, [rows]), rows.dtype)

    def added(self, partial: Callable[..., Any], stacks: Sequence[Any]) -> Any:
        """Return the sum over the devices of a function of their rows."""
        if self._devices == 1:
            return partial(*stacks)

        def whole(*own: Any) -> Any:
            return jax.lax.psum(partial(*own), AXIS)

        return self._on_each(whole, PartitionSpec(AXIS), PartitionSpec())(*stacks)

    def called(
        self,
        call: Callable[..., Sequence[Array]],
        returned: Sequence[jax.ShapeDtypeStruct],
        arrays: Sequence[Any],
    ) -> list[Any]:
        """Call a function of the host once in each process.

        It returns the results, stacked by process.
        """
        if self._devices == 1:
            replies = io_callback(call, returned, *arrays)
            return [array[None] for array in replies]
        each = self._devices // self.processes

        def on_first(*whole: Any) -> Any:
            """Call it on the first device of a process; the others have zeros."""
            replies = jax.lax.cond(
                jax.lax.axis_index(AXIS) % each == 0,
                lambda: list(io_callback(call, returned, *whole)),
                lambda: [jnp.zeros(form.shape, form.dtype) for form in returned],
            )
            # Not a sum: 0 + -0 is 0.
            return [jax.lax.all_gather(array, AXIS)[::each] for array in replies]

        return list(self._on_each(on_first, PartitionSpec(), PartitionSpec())(*arrays))

    def _on_each(
        self, function: Callable[..., Any], ins: Any, outs: PartitionSpec
    ) -> Callable[..., Any]:
        """Run a function on each device."""
        mapped: Callable[..., Any] = jax.shard_map(
            function, mesh=self._mesh, in_specs=ins, out_specs=outs, check_vma=False
        )
        return mapped

    # -- to the devices ----------------------------------------------------------

    def put(self, array: Array, stacked: bool) -> Any:
        """Copy an array of the host to the devices, from this process's rows."""
        layout = self.layout(stacked)
        if self.processes == 1:
            return jax.device_put(array, layout)
        return jax.make_array_from_callback(array.shape, layout, array.__getitem__)

    def put_rows(self, rows: Callable[[int], Array]) -> Any:
        """Stack the rows of this process's replicas on the devices."""
        own = np.stack([rows(replica) for replica in self.own])
        if self.processes == 1:
            return jax.device_put(own, self.stacked)
        begin, (_, *shape) = self.own.start, own.shape

        def part(index: tuple[slice, ...]) -> Array:
            return own[index[0].start - begin : index[0].stop - begin]

        return jax.make_array_from_callback((self.replicas, *shape), self.stacked, part)

    def put_of_first(self, arrays: Sequence[Array]) -> list[Any]:
        """Copy the first process's arrays to the devices of all processes."""
        if self.processes == 1:
            # Copied, because memory of the host cannot be donated.
            return [jax.device_put(jnp.array(a), self.shared) for a in arrays]
        offered = [
            jax.make_array_from_callback(
                (self._devices, *array.shape),
                self.stacked,
                lambda index, array=array: array[None],
            )
            for array in arrays
        ]
        return list(_first_rows(self.shared)(offered))


@functools.cache
def _first_rows(layout: NamedSharding) -> Callable[..., Any]:
    function: Callable[..., Any] = jax.jit(
        lambda arrays: [array[0] for array in arrays], out_shardings=layout
    )
    return function
