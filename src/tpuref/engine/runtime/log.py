"""The logger ``tpuref`` and its children: silent until the program listens.

Python itself writes only the warnings to standard error: a run is stuck, a sum looks
wrong, a server is open to strangers, or the platform has no core pool.
"""

from __future__ import annotations

import logging

NAME = "tpuref"

FIELDS = ("core", "replica", "run", "epoch")
"""The attributes of each record, None where one does not apply."""


class _Fields(logging.Filter):
    """Adds the fields that a record lacks."""

    def filter(self, record: logging.LogRecord) -> bool:
        for field in FIELDS:
            if not hasattr(record, field):
                setattr(record, field, None)
        return True


def logger(area: str) -> logging.Logger:
    """Return the logger ``tpuref.AREA``, whose records have all fields.

    Parameters
    ----------
    area
        What its records are about, such as ``pool``.
    """
    silent = advice(area)
    silent.addHandler(logging.NullHandler())
    return silent


def advice(area: str | None = None) -> logging.Logger:
    """Return a logger whose warnings are seen even if nobody listens.

    Parameters
    ----------
    area
        What its records are about; without it the logger is ``tpuref`` itself.
    """
    found = logging.getLogger(NAME if area is None else f"{NAME}.{area}")
    found.addFilter(_FILTER)
    return found


_FILTER = _Fields()
