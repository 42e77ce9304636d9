"""The names that ``tf.math`` has in both releases, with one meaning."""

from tpuref.compat.both._math import *
from tpuref.compat.both._math_of_v1 import *
from tpuref.interface.functions.activations import softplus as softplus
from tpuref.interface.functions.activations import softsign as softsign
from tpuref.interface.functions.exponentials import erfinv as erfinv
from tpuref.interface.functions.normalization import l2_normalize as l2_normalize
from tpuref.interface.functions.products import multiply_no_nan as multiply_no_nan
from tpuref.interface.functions.products import xdivy as xdivy
from tpuref.interface.functions.products import xlogy as xlogy
from tpuref.interface.functions.segment_reductions import segment_max as segment_max
from tpuref.interface.functions.segment_reductions import segment_min as segment_min
from tpuref.interface.functions.segment_reductions import segment_prod as segment_prod
from tpuref.interface.functions.segment_reductions import segment_sum as segment_sum
from tpuref.interface.functions.segment_reductions import unsorted_segment_max as unsorted_segment_max
from tpuref.interface.functions.segment_reductions import unsorted_segment_min as unsorted_segment_min
from tpuref.interface.functions.segment_reductions import unsorted_segment_prod as unsorted_segment_prod
from tpuref.interface.functions.segments import invert_permutation as invert_permutation
