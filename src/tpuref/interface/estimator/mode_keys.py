"""Define the modes of an estimator: train, evaluate and predict."""


class ModeKeys:
    """The values of a model function's ``mode``."""

    TRAIN = "train"
    EVAL = "eval"
    PREDICT = "infer"
