"""The strategy of one tower."""

from tpuref.base import error_codes as codes
from tpuref.interface.distribute.strategy import DistributionStrategy
from tpuref.names.members import explain_missing_members


@explain_missing_members("tf.contrib.distribute.OneDeviceStrategy")
class OneDeviceStrategy(DistributionStrategy):
    """Runs one tower on one device.

    001_66db0865fe92828f.txt names it as the parent of TPUStrategy.

    Examples
    --------
    >>> strategy = tf.contrib.distribute.OneDeviceStrategy("/device:CPU:0")
    >>> with strategy.scope(), tf.Session() as sess:
    ...     y = strategy.call_for_each_tower(lambda x: x + 1.0, tf.constant(2.0))
    ...     float(sess.run(y))
    3.0
    """

    def __init__(self, device: str) -> None:
        if not isinstance(device, str):
            raise codes.WRONG_ARGUMENT_TYPE.type_error(
                f"OneDeviceStrategy: device must be a name, got {device!r}"
            )
        super().__init__([device])
