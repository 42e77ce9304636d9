"""The names under ``tf.contrib.layers``."""

from tpuref.functions.initializers import scaled_initializer
from tpuref.functions.initializers import xavier_initializer as xavier_initializer
from tpuref.layers.fully_connected import fully_connected as fully_connected
from tpuref.layers.layer_norm import layer_norm as layer_norm
from tpuref.layers.regularizers import l1_regularizer as l1_regularizer
from tpuref.layers.regularizers import l2_regularizer as l2_regularizer

variance_scaling_initializer = scaled_initializer
xavier_initializer_conv2d = xavier_initializer
