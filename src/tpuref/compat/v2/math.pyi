"""The names under ``tf.compat.v2.math``."""

from tpuref.interface.functions.activations import log_softmax_v2
from tpuref.interface.functions.activations import sigmoid as sigmoid
from tpuref.interface.functions.activations import softmax_v2
from tpuref.interface.functions.activations import softplus as softplus
from tpuref.interface.functions.activations import softsign as softsign
from tpuref.interface.functions.along_axis import argmax_v2
from tpuref.interface.functions.along_axis import argmin_v2
from tpuref.interface.functions.along_axis import cumprod as cumprod
from tpuref.interface.functions.along_axis import cumsum as cumsum
from tpuref.interface.functions.arithmetic import abs as abs
from tpuref.interface.functions.arithmetic import accumulate_n as accumulate_n
from tpuref.interface.functions.arithmetic import add as add
from tpuref.interface.functions.arithmetic import add_n as add_n
from tpuref.interface.functions.arithmetic import divide as divide
from tpuref.interface.functions.arithmetic import divide_no_nan as divide_no_nan
from tpuref.interface.functions.arithmetic import floordiv as floordiv
from tpuref.interface.functions.arithmetic import floormod as floormod
from tpuref.interface.functions.arithmetic import maximum as maximum
from tpuref.interface.functions.arithmetic import minimum as minimum
from tpuref.interface.functions.arithmetic import mod as mod
from tpuref.interface.functions.arithmetic import multiply as multiply
from tpuref.interface.functions.arithmetic import negative as negative
from tpuref.interface.functions.arithmetic import pow as pow
from tpuref.interface.functions.arithmetic import reciprocal as reciprocal
from tpuref.interface.functions.arithmetic import scalar_mul as scalar_mul
from tpuref.interface.functions.arithmetic import sign as sign
from tpuref.interface.functions.arithmetic import square as square
from tpuref.interface.functions.arithmetic import squared_difference as squared_difference
from tpuref.interface.functions.arithmetic import subtract as subtract
from tpuref.interface.functions.arithmetic import truediv as truediv
from tpuref.interface.functions.comparison import equal as equal
from tpuref.interface.functions.comparison import greater as greater
from tpuref.interface.functions.comparison import greater_equal as greater_equal
from tpuref.interface.functions.comparison import is_finite as is_finite
from tpuref.interface.functions.comparison import is_inf as is_inf
from tpuref.interface.functions.comparison import is_nan as is_nan
from tpuref.interface.functions.comparison import less as less
from tpuref.interface.functions.comparison import less_equal as less_equal
from tpuref.interface.functions.comparison import not_equal as not_equal
from tpuref.interface.functions.complex_numbers import angle as angle
from tpuref.interface.functions.complex_numbers import conj as conj
from tpuref.interface.functions.complex_numbers import imag as imag
from tpuref.interface.functions.complex_numbers import real as real
from tpuref.interface.functions.confusion_matrix import confusion_matrix_v2
from tpuref.interface.functions.exponentials import erf as erf
from tpuref.interface.functions.exponentials import erfc as erfc
from tpuref.interface.functions.exponentials import exp as exp
from tpuref.interface.functions.exponentials import expm1 as expm1
from tpuref.interface.functions.exponentials import lgamma as lgamma
from tpuref.interface.functions.exponentials import log as log
from tpuref.interface.functions.exponentials import log1p as log1p
from tpuref.interface.functions.exponentials import rsqrt as rsqrt
from tpuref.interface.functions.exponentials import sqrt as sqrt
from tpuref.interface.functions.logic import logical_and as logical_and
from tpuref.interface.functions.logic import logical_not as logical_not
from tpuref.interface.functions.logic import logical_or as logical_or
from tpuref.interface.functions.logic import logical_xor as logical_xor
from tpuref.interface.functions.normalization import l2_normalize as l2_normalize
from tpuref.interface.functions.reductions import count_nonzero_v2
from tpuref.interface.functions.reductions import reduce_all_v2
from tpuref.interface.functions.reductions import reduce_any_v2
from tpuref.interface.functions.reductions import reduce_euclidean_norm as reduce_euclidean_norm
from tpuref.interface.functions.reductions import reduce_logsumexp_v2
from tpuref.interface.functions.reductions import reduce_max_v2
from tpuref.interface.functions.reductions import reduce_mean_v2
from tpuref.interface.functions.reductions import reduce_min_v2
from tpuref.interface.functions.reductions import reduce_prod_v2
from tpuref.interface.functions.reductions import reduce_std as reduce_std
from tpuref.interface.functions.reductions import reduce_sum_v2
from tpuref.interface.functions.reductions import reduce_variance as reduce_variance
from tpuref.interface.functions.rounding import ceil as ceil
from tpuref.interface.functions.rounding import floor as floor
from tpuref.interface.functions.rounding import nextafter as nextafter
from tpuref.interface.functions.rounding import rint as rint
from tpuref.interface.functions.rounding import round as round
from tpuref.interface.functions.segments import unsorted_segment_sum as unsorted_segment_sum
from tpuref.interface.functions.sorting import in_top_k_v2
from tpuref.interface.functions.sorting import top_k_v2
from tpuref.interface.functions.trigonometry import acos as acos
from tpuref.interface.functions.trigonometry import acosh as acosh
from tpuref.interface.functions.trigonometry import asin as asin
from tpuref.interface.functions.trigonometry import asinh as asinh
from tpuref.interface.functions.trigonometry import atan as atan
from tpuref.interface.functions.trigonometry import atan2 as atan2
from tpuref.interface.functions.trigonometry import atanh as atanh
from tpuref.interface.functions.trigonometry import cos as cos
from tpuref.interface.functions.trigonometry import cosh as cosh
from tpuref.interface.functions.trigonometry import sin as sin
from tpuref.interface.functions.trigonometry import sinh as sinh
from tpuref.interface.functions.trigonometry import tan as tan
from tpuref.interface.functions.trigonometry import tanh as tanh

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
