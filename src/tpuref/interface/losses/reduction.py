"""How the losses of the elements of a batch become one."""


class Reduction:
    """How the weighted losses of a batch are reduced to one.

    Attributes
    ----------
    NONE
        No reduction.
    SUM
        Their sum.
    MEAN
        Their sum, divided by the sum of the weights.
    SUM_OVER_BATCH_SIZE
        Their sum, divided by the number of elements.
    SUM_BY_NONZERO_WEIGHTS, SUM_OVER_NONZERO_WEIGHTS
        Their sum, divided by the number of weights that are not zero.

    Examples
    --------
    >>> Reduction.validate(Reduction.MEAN)
    >>> Reduction.validate("mean")
    Traceback (most recent call last):
      ...
    ValueError: tf.losses: 'mean' is not a reduction; the reductions are 'none', \
'weighted_sum', 'weighted_mean', 'weighted_sum_over_batch_size', \
'weighted_sum_by_nonzero_weights'
    """

    NONE = "none"
    SUM = "weighted_sum"
    MEAN = "weighted_mean"
    SUM_OVER_BATCH_SIZE = "weighted_sum_over_batch_size"
    SUM_BY_NONZERO_WEIGHTS = "weighted_sum_by_nonzero_weights"
    SUM_OVER_NONZERO_WEIGHTS = SUM_BY_NONZERO_WEIGHTS

    @classmethod
    def all(cls) -> tuple[str, ...]:
        """Return all reductions."""
        return (
            cls.NONE,
            cls.SUM,
            cls.MEAN,
            cls.SUM_OVER_BATCH_SIZE,
            cls.SUM_BY_NONZERO_WEIGHTS,
        )

    @classmethod
    def validate(cls, key: str) -> None:
        """Raise ValueError unless `key` is a reduction."""
        if not isinstance(key, str) or key not in cls.all():
            raise ValueError(
                f"tf.losses: {key!r} is not a reduction; the reductions are "
                f"{', '.join(map(repr, cls.all()))}"
            )


class LossReduction:
    """The reductions of TensorFlow 2's losses, under ``tf.keras.losses``.

    ``AUTO`` is the default of the context, ``SUM_OVER_BATCH_SIZE`` the mean.
    """

    AUTO = "auto"
    NONE = "none"
    SUM = "sum"
    SUM_OVER_BATCH_SIZE = "sum_over_batch_size"
