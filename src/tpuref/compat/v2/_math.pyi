"""The names that ``tf`` and ``tf.math`` have with a meaning of 2.x."""

from tpuref.interface.functions.along_axis import argmax_v2
from tpuref.interface.functions.along_axis import argmin_v2
from tpuref.interface.functions.reductions import reduce_all_v2
from tpuref.interface.functions.reductions import reduce_any_v2
from tpuref.interface.functions.reductions import reduce_logsumexp_v2
from tpuref.interface.functions.reductions import reduce_max_v2
from tpuref.interface.functions.reductions import reduce_mean_v2
from tpuref.interface.functions.reductions import reduce_min_v2
from tpuref.interface.functions.reductions import reduce_prod_v2
from tpuref.interface.functions.reductions import reduce_sum_v2

argmax = argmax_v2
argmin = argmin_v2
reduce_all = reduce_all_v2
reduce_any = reduce_any_v2
reduce_logsumexp = reduce_logsumexp_v2
reduce_max = reduce_max_v2
reduce_mean = reduce_mean_v2
reduce_min = reduce_min_v2
reduce_prod = reduce_prod_v2
reduce_sum = reduce_sum_v2
