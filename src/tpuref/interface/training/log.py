"""Where training says how it goes: to the program's logger, as TensorFlow 1 does."""

from __future__ import annotations

import logging

log = logging.getLogger("tensorflow")
