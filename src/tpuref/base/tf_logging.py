"""The names under ``tf.logging``: Python's logging, as TensorFlow 1 wraps it.

The levels are those of Python.  The logger is the program's, ``tensorflow``; tpuref's
own messages go to the logger ``tpuref``.
"""

from __future__ import annotations

import itertools
import logging as python_logging
import sys
from typing import Any

from tpuref.base.callsite import user_site

DEBUG = python_logging.DEBUG
INFO = python_logging.INFO
WARN = python_logging.WARNING
ERROR = python_logging.ERROR
FATAL = python_logging.CRITICAL

_LEVELS = {"DEBUG": DEBUG, "INFO": INFO, "WARN": WARN, "ERROR": ERROR, "FATAL": FATAL}
_counts: dict[Any, itertools.count[int]] = {}


class _UntilConfigured(python_logging.Handler):
    """Writes to standard error while the program has not configured logging."""

    def emit(self, record: python_logging.LogRecord) -> None:
        if not python_logging.getLogger().handlers:
            print(self.format(record), file=sys.stderr)


def get_logger() -> python_logging.Logger:
    """Return the logger, which has TensorFlow's name for scripts that read logs."""
    logger = python_logging.getLogger("tensorflow")
    if not any(isinstance(one, _UntilConfigured) for one in logger.handlers):
        handler = _UntilConfigured()
        handler.setFormatter(python_logging.Formatter(python_logging.BASIC_FORMAT))
        logger.addHandler(handler)
    return logger


def set_verbosity(v: int | str) -> None:
    """Show messages of a level and above, such as `tf.logging.INFO` or ``"INFO"``.

    Examples
    --------
    >>> tf.logging.set_verbosity("WARN")
    >>> tf.logging.get_verbosity() == tf.logging.WARN
    True
    """
    get_logger().setLevel(_LEVELS.get(v, v) if isinstance(v, str) else v)


def get_verbosity() -> int:
    """Return the level from which messages are shown."""
    return get_logger().getEffectiveLevel()


def log(level: int, msg: Any, *args: Any, **kwargs: Any) -> None:
    """Log a message, its ``%`` filled in with `args`, at a level."""
    _log(level, msg, args, kwargs)


def _log(level: int, msg: Any, args: Any, kwargs: Any) -> None:
    # The caller's line, past the function of this module.
    stacklevel = kwargs.pop("stacklevel", 1) + 2
    get_logger().log(level, msg, *args, stacklevel=stacklevel, **kwargs)


def debug(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Log a message at the level DEBUG."""
    _log(DEBUG, msg, args, kwargs)


def info(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Log a message at the level INFO."""
    _log(INFO, msg, args, kwargs)


def warning(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Log a message at the level WARN."""
    _log(WARN, msg, args, kwargs)


def warn(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Log a message at the level WARN."""
    _log(WARN, msg, args, kwargs)


def error(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Log a message at the level ERROR."""
    _log(ERROR, msg, args, kwargs)


def fatal(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Log a message at the level FATAL; the program goes on."""
    _log(FATAL, msg, args, kwargs)


def log_first_n(level: int, msg: Any, n: int, *args: Any) -> None:
    """Log a message the first `n` times that this line is reached."""
    if _times_reached() < n:
        _log(level, msg, args, {})


def log_every_n(level: int, msg: Any, n: int, *args: Any) -> None:
    """Log a message the first time that this line is reached and every `n` times."""
    if _times_reached() % n == 0:
        _log(level, msg, args, {})


def _times_reached() -> int:
    """Return how often the user's line was reached before."""
    site = user_site()
    return next(_counts.setdefault((site.filename, site.line), itertools.count()))


def flush() -> None:
    """Flush the handlers."""
    for handler in get_logger().handlers:
        handler.flush()
