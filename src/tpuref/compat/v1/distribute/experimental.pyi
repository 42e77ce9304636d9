"""The names under ``tf.compat.v1.distribute.experimental``."""

from tpuref.distribute.replicas.context import ValueContext as ValueContext
from tpuref.distribute.replicas.cross_device import CommunicationImplementation as CommunicationImplementation
from tpuref.distribute.replicas.cross_device import CommunicationOptions as CommunicationOptions
from tpuref.distribute.replicas.kinds import ExperimentalTPUStrategy
from tpuref.distribute.replicas.kinds import MultiWorkerMirroredStrategy as MultiWorkerMirroredStrategy
from tpuref.distribute.replicas.kinds import ParameterServerStrategy as ParameterServerStrategy

CollectiveCommunication = CommunicationImplementation
TPUStrategy = ExperimentalTPUStrategy
