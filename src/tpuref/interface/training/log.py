"""The logger of training: the program's logger, as in TensorFlow 1."""

from __future__ import annotations

import logging

log = logging.getLogger("tensorflow")
