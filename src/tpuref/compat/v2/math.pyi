"""The names under ``tf.compat.v2.math``."""

from tpuref.compat.both.math import *
from tpuref.compat.v2._math import *
from tpuref.interface.functions.activations import log_softmax_v2
from tpuref.interface.functions.activations import softmax_v2
from tpuref.interface.functions.complex_numbers import angle_v2
from tpuref.interface.functions.confusion_matrix import confusion_matrix_v2
from tpuref.interface.functions.counts import bincount as bincount
from tpuref.interface.functions.reductions import count_nonzero_v2
from tpuref.interface.functions.sorting import in_top_k_v2
from tpuref.interface.functions.sorting import top_k_v2

angle = angle_v2
confusion_matrix = confusion_matrix_v2
count_nonzero = count_nonzero_v2
in_top_k = in_top_k_v2
log_softmax = log_softmax_v2
softmax = softmax_v2
top_k = top_k_v2
