"""The logger of training: the program's logger, as in TensorFlow 1."""

import logging

log = logging.getLogger("tensorflow")
