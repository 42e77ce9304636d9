"""Contestants that take turns."""

from __future__ import annotations

from collections.abc import Callable, Mapping

Contestants = Mapping[str, Callable[[], float]]
"""Functions that measure once and return seconds, by name."""

Samples = dict[str, list[float]]
"""The seconds of each round, by name."""


class Withdrawn(Exception):
    """A contestant cannot continue."""


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
