"""Measure the constants of the model of docs/scale.md, and print its tables.

::

    python -m maintenance.scale
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from maintenance.scale.host import LARGE, REPLICAS, SMALL
from tpuref.base.processors import processors

Times = dict[str, float]

SUMMED_BYTES = 4 * 784 * 256
"""Of the gradients that devices add up before hosts do."""
GATHERED_BYTES = [4 * 256 * 10, 4]
"""Of a replica's other gradients and its loss, which all hosts get from all."""
BATCH_BYTES = 4 * 1024 * (784 + 10)


class Model(NamedTuple):
    """The times of a step, in seconds.

    ``host`` is the host's part of a step, ``compute`` that of eight replicas on the
    processors of one host, ``feed`` the time for each byte that a host feeds,
    ``latency`` for each message between hosts, and ``byte`` for each byte in it.
    """

    host: float
    compute: float
    feed: float
    latency: float
    byte: float

    @classmethod
    def of(cls, one: Times, two: Times) -> Model:
        """Return the model for what one host and two hosts took."""
        # Of a ring of two, each sum is two messages of half a vector.
        byte = (two["large"] - two["small"]) / (4 * (LARGE - SMALL))
        latency = (two["small"] - 4 * SMALL * byte) / 2
        feed = (one["fed"] - one["host"]) / (4 * REPLICAS * (LARGE - 1))
        compute = one["training"] - one["host"]
        return cls(one["host"], compute, feed, max(latency, 0.0), byte)

    def ring(self, hosts: int, size: int) -> float:
        """Return the time of a sum in a ring."""
        each = self.latency + size / hosts * self.byte
        return 2 * (hosts - 1) * each

    def gathered(self, hosts: int, size: int, replicas: int) -> float:
        """Return the time until all hosts have the vectors of all, sent in a ring."""
        each = self.latency + replicas / hosts * size * self.byte
        return (hosts - 1) * each

    def tree(self, hosts: int, size: int) -> float:
        """Return the time of a sum up and down a tree."""
        return 2 * math.ceil(math.log2(hosts)) * (self.latency + size * self.byte)

    def rings(self, hosts: int, replicas: int) -> float:
        """Return what hosts wait for each other in a step, if all goes in rings."""
        gathered = [self.gathered(hosts, size, replicas) for size in GATHERED_BYTES]
        return self.ring(hosts, SUMMED_BYTES) + sum(gathered)

    def trees(self, hosts: int) -> float:
        """Return the same if all goes up and down trees."""
        return sum(self.tree(hosts, size) for size in [SUMMED_BYTES, *GATHERED_BYTES])


def measured(hosts: int) -> Times:
    """Return the times on so many hosts of this machine."""
    script = str(Path(__file__).with_name("host.py"))
    command = ["launch", "--hosts", str(hosts), script]
    if hosts == 1:
        command = ["run", "--executor", "xla", script]
    ended = subprocess.run(
        [sys.executable, "-m", "tpuref", *command],
        capture_output=True,
        text=True,
        timeout=600,
        check=True,
    )
    line = next(line for line in ended.stdout.splitlines() if "{" in line)
    found: Times = json.loads(line[line.index("{") :])
    return found


def main() -> None:
    """Print what was measured, what the model says of it, and of more hosts."""
    times = {hosts: measured(hosts) for hosts in (1, 2, 4)}
    model = Model.of(times[1], times[2])
    print(f"{processors()} processors, {model}\n")
    _print_row("hosts", "time", "measured", "model")
    for hosts, found in times.items():
        share = max(1, hosts / processors())  # hosts of one machine take turns
        said = {
            "small": model.ring(hosts, 4 * SMALL),
            "large": model.ring(hosts, 4 * LARGE),
            "training": model.host * share
            + model.compute
            + model.rings(hosts, REPLICAS),
        }
        for name, value in said.items():
            _print_row(hosts, name, _shown(found[name]), _shown(value))
    print()
    names = "alone", "in rings", "in trees", "step in rings", "step in trees"
    _print_row("replicas", "hosts", *names)
    alone = model.host + BATCH_BYTES * model.feed + model.compute
    for hosts in (1, 2, 8, 32, 128, 512):
        replicas = hosts * REPLICAS
        ways = model.rings(hosts, replicas), model.trees(hosts)
        steps = (alone + way for way in ways)
        _print_row(replicas, hosts, *map(_shown, (alone, *ways, *steps)))


def _print_row(*cells: object) -> None:
    print("|", " | ".join(map(str, cells)), "|")


def _shown(seconds: float) -> str:
    return f"{seconds * 1e3:.2f} ms"


if __name__ == "__main__":
    main()
