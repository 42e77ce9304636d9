"""The names under ``tf.compat.v2.nn`` that differ from 1.x."""

# ruff: noqa: F401 - a list of names

from tpuref.functions.activations import crelu_v2 as crelu
from tpuref.functions.activations import log_softmax_v2 as log_softmax
from tpuref.functions.activations import silu_v2 as silu
from tpuref.functions.activations import softmax_v2 as softmax
from tpuref.functions.activations import swish_v2 as swish
from tpuref.functions.embeddings import embedding_lookup_v2 as embedding_lookup
from tpuref.functions.losses import (
    sigmoid_cross_entropy_v2 as sigmoid_cross_entropy_with_logits,
)
from tpuref.functions.losses import (
    softmax_cross_entropy_v2 as softmax_cross_entropy_with_logits,
)
from tpuref.functions.losses import (
    sparse_softmax_cross_entropy_v2 as sparse_softmax_cross_entropy_with_logits,
)
from tpuref.functions.normalization import dropout_v2 as dropout
from tpuref.functions.normalization import moments_v2 as moments
from tpuref.functions.normalization import (
    sufficient_statistics_v2 as sufficient_statistics,
)
from tpuref.functions.sorting import in_top_k_v2 as in_top_k
from tpuref.functions.sorting import top_k_v2 as top_k
from tpuref.functions.windows import avg_pool_v2 as avg_pool
from tpuref.functions.windows import conv1d_v2 as conv1d
from tpuref.functions.windows import conv2d_transpose_v2 as conv2d_transpose
from tpuref.functions.windows import conv2d_v2 as conv2d
from tpuref.functions.windows import depthwise_conv2d_v2 as depthwise_conv2d
from tpuref.functions.windows import max_pool_v2 as max_pool
from tpuref.functions.windows import pool_v2 as pool
from tpuref.functions.windows import separable_conv2d_v2 as separable_conv2d
