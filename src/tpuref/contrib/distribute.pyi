"""The names under ``tf.contrib.distribute``."""

from tpuref.interface.distribute.current import get_cross_tower_context as get_cross_tower_context
from tpuref.interface.distribute.current import get_distribution_strategy as get_distribution_strategy
from tpuref.interface.distribute.current import get_tower_context as get_tower_context
from tpuref.interface.distribute.current import has_distribution_strategy as has_distribution_strategy
from tpuref.interface.distribute.current import in_cross_tower_context as in_cross_tower_context
from tpuref.interface.distribute.one_device import OneDeviceStrategy as OneDeviceStrategy
from tpuref.interface.distribute.strategy import DistributionStrategy as DistributionStrategy
from tpuref.interface.distribute.tower_context import TowerContext as TowerContext
from tpuref.interface.distribute.tpu_strategy import TPUStrategy as TPUStrategy
from tpuref.interface.distribute.values import Mirrored as Mirrored
from tpuref.interface.distribute.values import PerDevice as PerDevice
from tpuref.interface.distribute.variables import MirroredVariable as MirroredVariable
from tpuref.interface.distribute.variables import TowerLocalVariable as TowerLocalVariable
from tpuref.interface.tpu.bring_up import initialize_tpu_system as initialize_tpu_system
from tpuref.interface.tpu.per_replica import PerReplica as PerReplica
