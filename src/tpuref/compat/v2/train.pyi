"""The names under ``tf.compat.v2.train``."""

from tpuref.interface.checkpoints.initialization import list_variables as list_variables
from tpuref.interface.checkpoints.initialization import load_checkpoint as load_checkpoint
from tpuref.interface.checkpoints.initialization import load_variable as load_variable
from tpuref.interface.checkpoints.objects import Checkpoint as Checkpoint
from tpuref.interface.checkpoints.objects import CheckpointManager as CheckpointManager
from tpuref.interface.checkpoints.state import checkpoints_iterator as checkpoints_iterator
from tpuref.interface.checkpoints.state import get_checkpoint_state as get_checkpoint_state
from tpuref.interface.checkpoints.state import latest_checkpoint as latest_checkpoint
from tpuref.interface.cluster_resolver.cluster_spec import ClusterDef as ClusterDef
from tpuref.interface.cluster_resolver.cluster_spec import ClusterSpec as ClusterSpec
from tpuref.interface.cluster_resolver.cluster_spec import JobDef as JobDef
from tpuref.interface.cluster_resolver.server import ServerDef as ServerDef
from tpuref.interface.data.examples import BytesList as BytesList
from tpuref.interface.data.examples import Example as Example
from tpuref.interface.data.examples import Feature as Feature
from tpuref.interface.data.examples import FeatureList as FeatureList
from tpuref.interface.data.examples import FeatureLists as FeatureLists
from tpuref.interface.data.examples import Features as Features
from tpuref.interface.data.examples import FloatList as FloatList
from tpuref.interface.data.examples import Int64List as Int64List
from tpuref.interface.data.examples import SequenceExample as SequenceExample
from tpuref.interface.training.coordinator import Coordinator as Coordinator
from tpuref.interface.training.moving_averages import ExponentialMovingAverage as ExponentialMovingAverage
