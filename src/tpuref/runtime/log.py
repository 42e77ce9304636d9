"""The logger ``tpuref`` and its children: silent until the program listens."""

from __future__ import annotations

import logging

NAME = "tpuref"

FIELDS = ("core", "replica", "run", "epoch")
"""What each record has as attributes, None where it does not apply."""


class _Fields(logging.Filter):
    """Adds the fields that a record does not have."""

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
        What it tells of, such as ``pool``.
    """
    return _with_fields(logging.getLogger(f"{NAME}.{area}"))


def _with_fields(found: logging.Logger) -> logging.Logger:
    found.addFilter(_FILTER)
    return found


_FILTER = _Fields()
_with_fields(logging.getLogger(NAME)).addHandler(logging.NullHandler())
