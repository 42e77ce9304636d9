"""The names under ``tf.nn.rnn_cell``."""

from __future__ import annotations

from tpuref.layers.recurrent import BasicLSTMCell, LSTMStateTuple, RNNCell
from tpuref.missing.namespaces import explain_missing as _explain_missing

__all__ = ["BasicLSTMCell", "LSTMStateTuple", "RNNCell"]

_explain_missing(__name__, "tf.nn.rnn_cell")
