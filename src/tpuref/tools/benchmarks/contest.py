"""Contestants that take turns."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

Contestants = Mapping[str, Callable[[], float]]
"""Functions that measure once and return seconds, by name."""

Samples = dict[str, list[float]]
"""The seconds of each round, by name."""


PAUSE_SECONDS = 0.1
"""How long a settled contestant waits: threads of OpenBLAS spin for 20 ms or more."""


class Withdrawn(Exception):
    """A contestant cannot continue."""


def settled(contestants: Contestants) -> Contestants:
    """Return contestants that are not disturbed by those before them.

    Each waits until threads of the one before sleep, then measures twice: the first
    time does not count, because its caches are cold.

    Parameters
    ----------
    contestants
        The functions that measure, by name.

    Returns
    -------
    dict
        Functions that take longer, by name.

    Examples
    --------
    >>> times = iter([2.0, 1.0])
    >>> settled({"only": lambda: next(times)})["only"]()
    1.0
    """
    return {name: _settled(measure) for name, measure in contestants.items()}


def _settled(measure: Callable[[], float]) -> Callable[[], float]:
    def again() -> float:
        time.sleep(PAUSE_SECONDS)
        measure()
        return measure()

    return again


def interleaved(contestants: Contestants, rounds: int) -> Samples:
    """Measure every contestant once in each round.

    Parameters
    ----------
    contestants
        The functions to call, by name; one that raises `Withdrawn` is dropped.
    rounds
        The number of rounds.

    Returns
    -------
    dict
        The seconds of each round, by name.

    Examples
    --------
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
