"""The names under ``tf.math``."""

# ruff: noqa: F403 - a list of names

from tpuref.functions.activations import log_softmax as log_softmax
from tpuref.functions.activations import sigmoid as sigmoid
from tpuref.functions.activations import softmax as softmax
from tpuref.functions.activations import softplus as softplus
from tpuref.functions.activations import softsign as softsign
from tpuref.functions.along_axis import *
from tpuref.functions.arithmetic import *
from tpuref.functions.clipping import *
from tpuref.functions.comparison import *
from tpuref.functions.complex_numbers import *
from tpuref.functions.confusion_matrix import *
from tpuref.functions.conversion import *
from tpuref.functions.exponentials import *
from tpuref.functions.logic import *
from tpuref.functions.normalization import l2_normalize as l2_normalize
from tpuref.functions.reductions import *
from tpuref.functions.rounding import *
from tpuref.functions.segments import unsorted_segment_sum as unsorted_segment_sum
from tpuref.functions.sorting import in_top_k as in_top_k
from tpuref.functions.sorting import top_k as top_k
from tpuref.functions.trigonometry import *
from tpuref.missing.namespaces import explain_missing as _explain_missing

_explain_missing(__name__, "tf.math")
