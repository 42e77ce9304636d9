"""What an estimator does with a model: train, evaluate or predict."""

from __future__ import annotations


class ModeKeys:
    """The values of a model function's ``mode``."""

    TRAIN = "train"
    EVAL = "eval"
    PREDICT = "infer"
