"""The names under ``tf.math``."""

# ruff: noqa: F403 - a list of names

from __future__ import annotations

from tpuref.functions.math import *
from tpuref.functions.nn import log_softmax as log_softmax
from tpuref.functions.nn import sigmoid as sigmoid
from tpuref.functions.nn import softmax as softmax
from tpuref.functions.nn import softplus as softplus
from tpuref.functions.nn import softsign as softsign
from tpuref.functions.sorting import in_top_k as in_top_k
from tpuref.functions.sorting import top_k as top_k
