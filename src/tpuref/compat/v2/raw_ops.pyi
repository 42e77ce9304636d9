"""The names under ``tf.compat.v2.raw_ops``."""

from tpuref.interface.functions.counts import Bucketize as Bucketize
from tpuref.interface.functions.image_transforms import ImageProjectiveTransformV3 as ImageProjectiveTransformV3
from tpuref.interface.tpu.raw_exchanges import AllToAll as AllToAll
from tpuref.interface.tpu.raw_exchanges import CollectivePermute as CollectivePermute
from tpuref.interface.tpu.raw_exchanges import CrossReplicaSum as CrossReplicaSum
