"""The names under ``tf.compat.v1.distribute.experimental``."""

from tpuref.interface.distribute.replicas.context import ValueContext as ValueContext
from tpuref.interface.distribute.replicas.cross_device import CommunicationImplementation as CommunicationImplementation
from tpuref.interface.distribute.replicas.cross_device import CommunicationOptions as CommunicationOptions
from tpuref.interface.distribute.replicas.kinds import ExperimentalTPUStrategy
from tpuref.interface.distribute.replicas.kinds import MultiWorkerMirroredStrategy as MultiWorkerMirroredStrategy
from tpuref.interface.distribute.replicas.kinds import ParameterServerStrategy as ParameterServerStrategy

CollectiveCommunication = CommunicationImplementation
TPUStrategy = ExperimentalTPUStrategy
