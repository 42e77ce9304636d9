"""Contestants that take turns."""

from __future__ import annotations

from collections.abc import Callable, Mapping

Contestants = Mapping[str, Callable[[], float]]
"""By name, what measures once and returns seconds."""

Samples = dict[str, list[float]]
"""By name, the seconds of each round."""


class Withdrawn(Exception):
    """A contestant cannot go on."""


def interleaved(contestants: Contestants, rounds: int) -> Samples:
    """Let every contestant measure once in each round.

    Parameters
    ----------
    contestants
        What to call, by name; one that raises `Withdrawn` is left out.
    rounds
        How often each is called.

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
