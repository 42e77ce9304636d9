"""The names under ``tf.compat.v2.nn``."""

from tpuref.compat.both.nn import *
from tpuref.interface.data.ctc import ctc_beam_search_decoder as ctc_beam_search_decoder
from tpuref.interface.data.ctc import ctc_greedy_decoder as ctc_greedy_decoder
from tpuref.interface.data.ctc import ctc_loss as ctc_loss
from tpuref.interface.data.sparse_embeddings import embedding_lookup_sparse as embedding_lookup_sparse
from tpuref.interface.data.sparse_embeddings import safe_embedding_lookup_sparse as safe_embedding_lookup_sparse
from tpuref.interface.functions.activations import crelu_v2
from tpuref.interface.functions.activations import gelu as gelu
from tpuref.interface.functions.activations import log_softmax_v2
from tpuref.interface.functions.activations import silu_v2
from tpuref.interface.functions.activations import softmax_v2
from tpuref.interface.functions.activations import swish_v2
from tpuref.interface.functions.blocks import depth_to_space_v2
from tpuref.interface.functions.blocks import space_to_depth_v2
from tpuref.interface.functions.embeddings import embedding_lookup_v2
from tpuref.interface.functions.losses import sigmoid_cross_entropy_v2
from tpuref.interface.functions.losses import softmax_cross_entropy_v2
from tpuref.interface.functions.losses import sparse_softmax_cross_entropy_v2
from tpuref.interface.functions.normalization import dropout_v2
from tpuref.interface.functions.normalization import moments_v2
from tpuref.interface.functions.normalization import sufficient_statistics_v2
from tpuref.interface.functions.sorting import in_top_k_v2
from tpuref.interface.functions.sorting import top_k_v2
from tpuref.interface.functions.spatial import avg_pool1d as avg_pool1d
from tpuref.interface.functions.spatial import avg_pool3d as avg_pool3d
from tpuref.interface.functions.spatial import avg_pool_nd
from tpuref.interface.functions.spatial import conv3d as conv3d
from tpuref.interface.functions.spatial import conv_transpose as conv_transpose
from tpuref.interface.functions.spatial import convolution as convolution
from tpuref.interface.functions.spatial import max_pool1d as max_pool1d
from tpuref.interface.functions.spatial import max_pool3d as max_pool3d
from tpuref.interface.functions.spatial import max_pool_nd
from tpuref.interface.functions.spatial import pool_nd
from tpuref.interface.functions.windows import avg_pool_v2
from tpuref.interface.functions.windows import conv1d_v2
from tpuref.interface.functions.windows import conv2d_transpose_v2
from tpuref.interface.functions.windows import conv2d_v2
from tpuref.interface.functions.windows import depthwise_conv2d_v2
from tpuref.interface.functions.windows import separable_conv2d_v2

avg_pool = avg_pool_nd
avg_pool2d = avg_pool_v2
conv1d = conv1d_v2
conv2d = conv2d_v2
conv2d_transpose = conv2d_transpose_v2
crelu = crelu_v2
depth_to_space = depth_to_space_v2
depthwise_conv2d = depthwise_conv2d_v2
dropout = dropout_v2
embedding_lookup = embedding_lookup_v2
in_top_k = in_top_k_v2
log_softmax = log_softmax_v2
max_pool = max_pool_nd
moments = moments_v2
pool = pool_nd
separable_conv2d = separable_conv2d_v2
sigmoid_cross_entropy_with_logits = sigmoid_cross_entropy_v2
silu = silu_v2
softmax = softmax_v2
softmax_cross_entropy_with_logits = softmax_cross_entropy_v2
space_to_depth = space_to_depth_v2
sparse_softmax_cross_entropy_with_logits = sparse_softmax_cross_entropy_v2
sufficient_statistics = sufficient_statistics_v2
swish = swish_v2
top_k = top_k_v2
