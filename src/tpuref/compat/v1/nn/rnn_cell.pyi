"""The names under ``tf.compat.v1.nn.rnn_cell``."""

from tpuref.interface.layers.recurrent import BasicLSTMCell as BasicLSTMCell
from tpuref.interface.layers.recurrent import LSTMStateTuple as LSTMStateTuple
from tpuref.interface.layers.recurrent import RNNCell as RNNCell
