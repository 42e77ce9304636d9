"""The names that ``tf`` and ``tf.math`` have in 1.x, or with a meaning of 1.x."""

from tpuref.interface.functions.along_axis import argmax as argmax
from tpuref.interface.functions.along_axis import argmin as argmin
from tpuref.interface.functions.arithmetic import div as div
from tpuref.interface.functions.arithmetic import div_no_nan as div_no_nan
from tpuref.interface.functions.arithmetic import floor_div as floor_div
from tpuref.interface.functions.clipping import clip_by_average_norm as clip_by_average_norm
from tpuref.interface.functions.clipping import global_norm as global_norm
from tpuref.interface.functions.complex_numbers import angle as angle
from tpuref.interface.functions.confusion_matrix import confusion_matrix as confusion_matrix
from tpuref.interface.functions.conversion import to_bfloat16 as to_bfloat16
from tpuref.interface.functions.conversion import to_double as to_double
from tpuref.interface.functions.conversion import to_float as to_float
from tpuref.interface.functions.conversion import to_int32 as to_int32
from tpuref.interface.functions.conversion import to_int64 as to_int64
from tpuref.interface.functions.reductions import count_nonzero as count_nonzero
from tpuref.interface.functions.reductions import reduce_all as reduce_all
from tpuref.interface.functions.reductions import reduce_any as reduce_any
from tpuref.interface.functions.reductions import reduce_logsumexp as reduce_logsumexp
from tpuref.interface.functions.reductions import reduce_max as reduce_max
from tpuref.interface.functions.reductions import reduce_mean as reduce_mean
from tpuref.interface.functions.reductions import reduce_min as reduce_min
from tpuref.interface.functions.reductions import reduce_prod as reduce_prod
from tpuref.interface.functions.reductions import reduce_sum as reduce_sum
from tpuref.interface.functions.sorting import in_top_k as in_top_k
from tpuref.interface.functions.sorting import top_k as top_k
