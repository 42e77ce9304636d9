"""The names under ``tf.compat.v1.nn``."""

from tpuref.compat.both.nn import *
from tpuref.compat.v1.nn import rnn_cell as rnn_cell
from tpuref.interface.functions.activations import crelu as crelu
from tpuref.interface.functions.activations import log_softmax as log_softmax
from tpuref.interface.functions.activations import silu as silu
from tpuref.interface.functions.activations import softmax as softmax
from tpuref.interface.functions.activations import swish as swish
from tpuref.interface.functions.blocks import depth_to_space as depth_to_space
from tpuref.interface.functions.blocks import space_to_depth as space_to_depth
from tpuref.interface.functions.embeddings import embedding_lookup as embedding_lookup
from tpuref.interface.functions.losses import sigmoid_cross_entropy_with_logits as sigmoid_cross_entropy_with_logits
from tpuref.interface.functions.losses import softmax_cross_entropy_with_logits as softmax_cross_entropy_with_logits
from tpuref.interface.functions.losses import softmax_cross_entropy_with_logits_v2 as softmax_cross_entropy_with_logits_v2
from tpuref.interface.functions.losses import sparse_softmax_cross_entropy_with_logits as sparse_softmax_cross_entropy_with_logits
from tpuref.interface.functions.normalization import dropout as dropout
from tpuref.interface.functions.normalization import fused_batch_norm as fused_batch_norm
from tpuref.interface.functions.normalization import moments as moments
from tpuref.interface.functions.normalization import sufficient_statistics as sufficient_statistics
from tpuref.interface.functions.normalization import xw_plus_b as xw_plus_b
from tpuref.interface.functions.sorting import in_top_k as in_top_k
from tpuref.interface.functions.sorting import top_k as top_k
from tpuref.interface.functions.spatial import convolution_v1
from tpuref.interface.functions.windows import avg_pool as avg_pool
from tpuref.interface.functions.windows import conv1d as conv1d
from tpuref.interface.functions.windows import conv2d as conv2d
from tpuref.interface.functions.windows import conv2d_transpose as conv2d_transpose
from tpuref.interface.functions.windows import depthwise_conv2d as depthwise_conv2d
from tpuref.interface.functions.windows import max_pool as max_pool
from tpuref.interface.functions.windows import pool as pool
from tpuref.interface.functions.windows import separable_conv2d as separable_conv2d
from tpuref.interface.layers.recurrent import dynamic_rnn as dynamic_rnn

avg_pool2d = avg_pool
convolution = convolution_v1
