"""The names under ``tf.contrib.framework``."""

from tpuref.checkpoints.initialization import assign_from_checkpoint_fn as assign_from_checkpoint_fn
from tpuref.checkpoints.initialization import init_from_checkpoint as init_from_checkpoint
from tpuref.checkpoints.initialization import list_variables as list_variables
from tpuref.checkpoints.initialization import load_checkpoint as load_checkpoint
from tpuref.checkpoints.initialization import load_variable as load_variable
from tpuref.training.global_step import assert_global_step as assert_global_step
from tpuref.training.global_step import create_global_step as create_global_step
from tpuref.training.global_step import get_global_step as get_global_step
from tpuref.training.global_step import get_or_create_global_step as get_or_create_global_step
