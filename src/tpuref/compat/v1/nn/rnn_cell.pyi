"""The names under ``tf.compat.v1.nn.rnn_cell``."""

from tpuref.layers.recurrent import BasicLSTMCell as BasicLSTMCell
from tpuref.layers.recurrent import LSTMStateTuple as LSTMStateTuple
from tpuref.layers.recurrent import RNNCell as RNNCell
