"""JAX with one forced host device per core, all in one process."""

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from tpuref.tools.benchmarks.clock import seconds_of
from tpuref.tools.benchmarks.peers.jax_steps import Steps
from tpuref.tools.benchmarks.peers.rank import contribution, serve, verify

FEW = 2
"""The number of sums in the shorter of two programs."""


class Devices:
    """The JAX devices, and programs for them."""

    def __init__(self, cores: int) -> None:
        import jax

        self._jax = jax
        self._cores = cores
        self._steps = Steps(cores)
        self._sum = self._pmap(lambda x: jax.lax.psum(x, "cores"))
        self._place = self._pmap(lambda x: x)
        self._vectors: dict[int, Any] = {}
        self._chains: dict[int, Callable[[Any], Any]] = {}

    def _pmap(self, computation: Callable[[Any], Any]) -> Any:
        return self._jax.pmap(computation, axis_name="cores")

    def _vector(self, elements: int) -> Any:
        if elements not in self._vectors:
            ranks = range(self._cores)
            x = self._place(np.stack([contribution(r, elements) for r in ranks]))
            for total in np.asarray(self._sum(x)):
                verify(total, self._cores)
            self._vectors.clear()
            self._vectors[elements] = self._place(np.zeros_like(x))
        return self._vectors[elements]

    def _chain(self, count: int) -> Callable[[Any], Any]:
        """Return a program of `count` sums in a row."""
        if count not in self._chains:

            def one(_: Any, x: Any) -> Any:
                return self._jax.lax.psum(x, "cores")

            self._chains[count] = self._pmap(
                lambda x: self._jax.lax.fori_loop(0, count, one, x)
            )
        return self._chains[count]

    def answer(self, task: str, elements: int, count: int) -> float:
        """Return the seconds of one operation."""
        if ", " in task:
            return self._steps.seconds(task, count)
        x = self._vector(elements)
        if task == "chain":
            few, many = self._chain(FEW), self._chain(FEW + count)
            return (_seconds(many, x, 1) - _seconds(few, x, 1)) / count
        return _seconds(self._sum, x, count)


def _seconds(program: Callable[[Any], Any], x: Any, count: int) -> float:
    """Return the seconds of one call; concurrent calls can deadlock."""

    def once() -> None:
        program(x).block_until_ready()

    once()
    return seconds_of(once, count)()


def main() -> None:
    """Answer requests for sums of float32, and for steps."""
    cores = int(os.environ["WORLD_SIZE"])
    os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={cores}"
    os.environ["JAX_PLATFORMS"] = "cpu"
    serve(Devices(cores).answer)


if __name__ == "__main__":
    main()
