"""The names under ``tf.distribute.experimental``."""

from __future__ import annotations

from tpuref.distribute.replicas.cross_device import (
    CommunicationImplementation,
    CommunicationOptions,
)
from tpuref.distribute.replicas.cross_device import (
    CommunicationImplementation as CollectiveCommunication,
)
from tpuref.distribute.replicas.kinds import (
    ExperimentalTPUStrategy as TPUStrategy,
)
from tpuref.distribute.replicas.kinds import (
    MultiWorkerMirroredStrategy,
    ParameterServerStrategy,
)
from tpuref.missing.namespaces import explain_missing as _explain_missing

__all__ = [
    "CollectiveCommunication",
    "CommunicationImplementation",
    "CommunicationOptions",
    "MultiWorkerMirroredStrategy",
    "ParameterServerStrategy",
    "TPUStrategy",
]

_explain_missing(__name__, "tf.distribute.experimental")
