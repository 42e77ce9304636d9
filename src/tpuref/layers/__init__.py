"""The names under ``tf.layers``: functions with variables of their own."""

from __future__ import annotations

from tpuref.layers.convolution import (
    Conv1D,
    Conv2D,
    Conv2DTranspose,
    SeparableConv2D,
    conv1d,
    conv2d,
    conv2d_transpose,
    separable_conv2d,
)
from tpuref.layers.dense import Dense, dense
from tpuref.layers.dropout import Dropout, dropout
from tpuref.layers.flatten import Flatten, flatten
from tpuref.layers.layer import Layer
from tpuref.layers.normalization import BatchNormalization, batch_normalization
from tpuref.layers.pooling import (
    AveragePooling1D,
    AveragePooling2D,
    MaxPooling1D,
    MaxPooling2D,
    average_pooling1d,
    average_pooling2d,
    max_pooling1d,
    max_pooling2d,
)
from tpuref.missing.namespaces import explain_missing as _explain_missing

__all__ = [
    "AveragePooling1D",
    "AveragePooling2D",
    "BatchNormalization",
    "Conv1D",
    "Conv2D",
    "Conv2DTranspose",
    "Dense",
    "Dropout",
    "Flatten",
    "Layer",
    "MaxPooling1D",
    "MaxPooling2D",
    "SeparableConv2D",
    "average_pooling1d",
    "average_pooling2d",
    "batch_normalization",
    "conv1d",
    "conv2d",
    "conv2d_transpose",
    "dense",
    "dropout",
    "flatten",
    "max_pooling1d",
    "max_pooling2d",
    "separable_conv2d",
]

_explain_missing(__name__, "tf.layers")
