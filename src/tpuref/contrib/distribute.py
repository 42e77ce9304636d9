"""The documented names under ``tf.contrib.distribute``."""

from __future__ import annotations

from tpuref.distribute.current import (
    get_cross_tower_context,
    get_distribution_strategy,
    get_tower_context,
    has_distribution_strategy,
    in_cross_tower_context,
)
from tpuref.distribute.one_device import OneDeviceStrategy
from tpuref.distribute.strategy import DistributionStrategy
from tpuref.distribute.tower_context import TowerContext
from tpuref.distribute.tpu_strategy import TPUStrategy
from tpuref.distribute.values import Mirrored, PerDevice
from tpuref.distribute.variables import MirroredVariable, TowerLocalVariable
from tpuref.missing.namespaces import explain_missing as _explain_missing
from tpuref.tpu.bring_up import initialize_tpu_system
from tpuref.tpu.per_replica import PerReplica

__all__ = [
    "DistributionStrategy",
    "Mirrored",
    "MirroredVariable",
    "OneDeviceStrategy",
    "PerDevice",
    "PerReplica",
    "TPUStrategy",
    "TowerContext",
    "TowerLocalVariable",
    "get_cross_tower_context",
    "get_distribution_strategy",
    "get_tower_context",
    "has_distribution_strategy",
    "in_cross_tower_context",
    "initialize_tpu_system",
]

_explain_missing(__name__, "tf.contrib.distribute")
