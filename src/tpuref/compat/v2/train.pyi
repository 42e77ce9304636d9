"""The names under ``tf.compat.v2.train``."""

from tpuref.checkpoints.initialization import list_variables as list_variables
from tpuref.checkpoints.initialization import load_checkpoint as load_checkpoint
from tpuref.checkpoints.initialization import load_variable as load_variable
from tpuref.checkpoints.objects import Checkpoint as Checkpoint
from tpuref.checkpoints.objects import CheckpointManager as CheckpointManager
from tpuref.checkpoints.state import checkpoints_iterator as checkpoints_iterator
from tpuref.checkpoints.state import get_checkpoint_state as get_checkpoint_state
from tpuref.checkpoints.state import latest_checkpoint as latest_checkpoint
from tpuref.cluster_resolver.cluster_spec import ClusterDef as ClusterDef
from tpuref.cluster_resolver.cluster_spec import ClusterSpec as ClusterSpec
from tpuref.cluster_resolver.cluster_spec import JobDef as JobDef
from tpuref.cluster_resolver.server import ServerDef as ServerDef
from tpuref.data.examples import BytesList as BytesList
from tpuref.data.examples import Example as Example
from tpuref.data.examples import Feature as Feature
from tpuref.data.examples import FeatureList as FeatureList
from tpuref.data.examples import FeatureLists as FeatureLists
from tpuref.data.examples import Features as Features
from tpuref.data.examples import FloatList as FloatList
from tpuref.data.examples import Int64List as Int64List
from tpuref.data.examples import SequenceExample as SequenceExample
from tpuref.training.coordinator import Coordinator as Coordinator
from tpuref.training.moving_averages import ExponentialMovingAverage as ExponentialMovingAverage
