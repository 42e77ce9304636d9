"""The names under ``tf.compat.v2.math``."""

from tpuref.compat.both.math import *
from tpuref.interface.functions.activations import log_softmax_v2
from tpuref.interface.functions.activations import softmax_v2
from tpuref.interface.functions.along_axis import argmax_v2
from tpuref.interface.functions.along_axis import argmin_v2
from tpuref.interface.functions.complex_numbers import angle_v2
from tpuref.interface.functions.confusion_matrix import confusion_matrix_v2
from tpuref.interface.functions.counts import bincount as bincount
from tpuref.interface.functions.reductions import count_nonzero_v2
from tpuref.interface.functions.reductions import reduce_all_v2
from tpuref.interface.functions.reductions import reduce_any_v2
from tpuref.interface.functions.reductions import reduce_logsumexp_v2
from tpuref.interface.functions.reductions import reduce_max_v2
from tpuref.interface.functions.reductions import reduce_mean_v2
from tpuref.interface.functions.reductions import reduce_min_v2
from tpuref.interface.functions.reductions import reduce_prod_v2
from tpuref.interface.functions.reductions import reduce_sum_v2
from tpuref.interface.functions.sorting import in_top_k_v2
from tpuref.interface.functions.sorting import top_k_v2

angle = angle_v2
argmax = argmax_v2
argmin = argmin_v2
confusion_matrix = confusion_matrix_v2
count_nonzero = count_nonzero_v2
in_top_k = in_top_k_v2
log_softmax = log_softmax_v2
reduce_all = reduce_all_v2
reduce_any = reduce_any_v2
reduce_logsumexp = reduce_logsumexp_v2
reduce_max = reduce_max_v2
reduce_mean = reduce_mean_v2
reduce_min = reduce_min_v2
reduce_prod = reduce_prod_v2
reduce_sum = reduce_sum_v2
softmax = softmax_v2
top_k = top_k_v2
