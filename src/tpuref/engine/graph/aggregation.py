"""Synchronization and aggregation of variables with a component per tower."""

import enum


class VariableSynchronization(enum.Enum):
    """When the components of a variable are synchronized.

    See 001_66db0865fe92828f.txt, read_var.

    Attributes
    ----------
    AUTO
        The strategy decides; it mirrors the variable.
    NONE
        One component only; a strategy with several towers refuses it.
    ON_WRITE
        All components get the same change: the variable is mirrored.
    ON_READ
        Each tower changes its own component, and reading outside of the towers
        combines them: the variable is tower-local.
    """

    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


class VariableAggregation(enum.Enum):
    """How the values of the towers are combined.

    See 001_66db0865fe92828f.txt, reduce and batch_reduce.  `NONE` does not combine
    them, `SUM` and `MEAN` give their sum and mean, and `ONLY_FIRST_TOWER` the value of
    tower 0.

    Examples
    --------
    >>> tf.VariableAggregation.SUM
    <VariableAggregation.SUM: 1>
    """

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_TOWER = 3
    ONLY_FIRST_REPLICA = 3
