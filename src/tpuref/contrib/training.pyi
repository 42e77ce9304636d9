"""The names under ``tf.contrib.training``."""

from tpuref.checkpoints.state import checkpoints_iterator as checkpoints_iterator
from tpuref.training.evaluation import StopAfterNEvalsHook as StopAfterNEvalsHook
from tpuref.training.evaluation import evaluate_once as evaluate_once
from tpuref.training.evaluation import get_or_create_eval_step as get_or_create_eval_step
from tpuref.training.train_op import create_train_op as create_train_op
