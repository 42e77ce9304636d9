"""Contests: contestants that measure in turns."""

import time
from collections.abc import Callable, Mapping

Contestants = Mapping[str, Callable[[], float]]
"""Functions that measure once and return seconds, by name."""

Samples = dict[str, list[float]]
"""The seconds of each round, by name."""


PAUSE_SECONDS = 0.1
"""The pause before a settled contestant: OpenBLAS threads spin for 20 ms or more."""


class Withdrawn(Exception):
    """A contestant cannot continue."""


def settled(contestants: Contestants) -> Contestants:
    """Return contestants that the previous contestant does not disturb.

    Each waits until the threads of the previous one sleep, then measures twice: the
    first time does not count, because its caches are cold.

    >>> times = iter([2.0, 1.0])
    >>> settled({"only": lambda: next(times)})["only"]()
    1.0
    """
    return {name: _settle(measure) for name, measure in contestants.items()}


def _settle(measure: Callable[[], float]) -> Callable[[], float]:
    def again() -> float:
        time.sleep(PAUSE_SECONDS)
        measure()
        return measure()

    return again


def interleaved(contestants: Contestants, rounds: int) -> Samples:
    """Measure every contestant once in each round, and drop one that withdraws.

    >>> interleaved({"fast": lambda: 1.0, "slow": lambda: 2.0}, rounds=3)
    {'fast': [1.0, 1.0, 1.0], 'slow': [2.0, 2.0, 2.0]}
    """
    running = dict(contestants)
    samples: Samples = {name: [] for name in running}
    for _ in range(rounds):
        for name, measure in list(running.items()):
            try:
                samples[name].append(measure())
            except Withdrawn:
                del running[name], samples[name]
    return samples
