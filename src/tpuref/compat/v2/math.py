"""The names under ``tf.compat.v2.math`` that differ from 1.x."""

# ruff: noqa: F401 - a list of names

from tpuref.functions.activations import log_softmax_v2 as log_softmax
from tpuref.functions.activations import softmax_v2 as softmax
from tpuref.functions.along_axis import argmax_v2 as argmax
from tpuref.functions.along_axis import argmin_v2 as argmin
from tpuref.functions.confusion_matrix import confusion_matrix_v2 as confusion_matrix
from tpuref.functions.reductions import count_nonzero_v2 as count_nonzero
from tpuref.functions.reductions import reduce_all_v2 as reduce_all
from tpuref.functions.reductions import reduce_any_v2 as reduce_any
from tpuref.functions.reductions import reduce_logsumexp_v2 as reduce_logsumexp
from tpuref.functions.reductions import reduce_max_v2 as reduce_max
from tpuref.functions.reductions import reduce_mean_v2 as reduce_mean
from tpuref.functions.reductions import reduce_min_v2 as reduce_min
from tpuref.functions.reductions import reduce_prod_v2 as reduce_prod
from tpuref.functions.reductions import reduce_sum_v2 as reduce_sum
from tpuref.functions.sorting import in_top_k_v2 as in_top_k
from tpuref.functions.sorting import top_k_v2 as top_k
