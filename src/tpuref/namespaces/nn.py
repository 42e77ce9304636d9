"""The names under ``tf.nn``."""

# ruff: noqa: F403 - a list of names

from tpuref.functions.activations import *
from tpuref.functions.embeddings import *
from tpuref.functions.losses import *
from tpuref.functions.normalization import *
from tpuref.functions.sorting import in_top_k as in_top_k
from tpuref.functions.sorting import top_k as top_k
from tpuref.functions.trigonometry import tanh as tanh
from tpuref.functions.windows import *
from tpuref.layers.recurrent import dynamic_rnn as dynamic_rnn
from tpuref.missing.namespaces import explain_missing as _explain_missing
from tpuref.namespaces import rnn_cell as rnn_cell
from tpuref.training.average_loss import *

_explain_missing(__name__, "tf.nn")
