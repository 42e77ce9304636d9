"""The logger ``tpuref`` and its children: silent until the program listens.

Python itself writes only the warnings to standard error: a run is stuck, a sum looks
wrong, a server is open to strangers, or the platform has no core pool.
"""

import logging

NAME = "tpuref"

FIELDS = ("core", "replica", "run", "epoch")
"""The attributes of each record, None where one does not apply."""


class _Fields(logging.Filter):
    """Add missing fields to a record."""

    def filter(self, record: logging.LogRecord) -> bool:
        for field in FIELDS:
            if not hasattr(record, field):
                setattr(record, field, None)
        return True


def logger(area: str) -> logging.Logger:
    """Return the logger ``tpuref.AREA``, whose records have all fields.

    `area` is the subject of its records, such as ``pool``.
    """
    silent = advice(area)
    silent.addHandler(logging.NullHandler())
    return silent


def advice(area: str | None = None) -> logging.Logger:
    """Return a logger whose warnings Python shows without any handler.

    `area` is the subject of its records; without it the logger is ``tpuref`` itself.
    """
    log = logging.getLogger(NAME if area is None else f"{NAME}.{area}")
    log.addFilter(_FILTER)
    return log


_FILTER = _Fields()
