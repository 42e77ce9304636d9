"""The documented names under ``tf.train``."""

from __future__ import annotations

from tpuref.checkpoints.initialization import (
    init_from_checkpoint,
    list_variables,
    load_checkpoint,
    load_variable,
)
from tpuref.checkpoints.objects import Checkpoint, CheckpointManager
from tpuref.checkpoints.saver import Saver, SaverDef
from tpuref.checkpoints.state import (
    checkpoints_iterator,
    generate_checkpoint_state_proto,
    get_checkpoint_state,
    latest_checkpoint,
    update_checkpoint_state,
)
from tpuref.checkpoints.stored import CheckpointReader as NewCheckpointReader
from tpuref.checkpoints.stored import checkpoint_exists, remove_checkpoint
from tpuref.cluster_resolver.cluster_spec import ClusterDef, ClusterSpec, JobDef
from tpuref.cluster_resolver.server import Server, ServerDef
from tpuref.data.examples import (
    BytesList,
    Example,
    Feature,
    FeatureList,
    FeatureLists,
    Features,
    FloatList,
    Int64List,
    SequenceExample,
)
from tpuref.missing.namespaces import explain_missing as _explain_missing
from tpuref.summary.event_file import summary_iterator

__all__ = [
    "BytesList",
    "Checkpoint",
    "CheckpointManager",
    "ClusterDef",
    "ClusterSpec",
    "Example",
    "Feature",
    "FeatureList",
    "FeatureLists",
    "Features",
    "FloatList",
    "Int64List",
    "JobDef",
    "NewCheckpointReader",
    "Saver",
    "SaverDef",
    "SequenceExample",
    "Server",
    "ServerDef",
    "checkpoint_exists",
    "checkpoints_iterator",
    "generate_checkpoint_state_proto",
    "get_checkpoint_state",
    "init_from_checkpoint",
    "latest_checkpoint",
    "list_variables",
    "load_checkpoint",
    "load_variable",
    "remove_checkpoint",
    "summary_iterator",
    "update_checkpoint_state",
]

_explain_missing(__name__, "tf.train")
