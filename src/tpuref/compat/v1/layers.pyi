"""The names under ``tf.compat.v1.layers``."""

from tpuref.layers.convolution import Conv1D as Conv1D
from tpuref.layers.convolution import Conv2D as Conv2D
from tpuref.layers.convolution import Conv2DTranspose as Conv2DTranspose
from tpuref.layers.convolution import SeparableConv2D as SeparableConv2D
from tpuref.layers.convolution import conv1d as conv1d
from tpuref.layers.convolution import conv2d as conv2d
from tpuref.layers.convolution import conv2d_transpose as conv2d_transpose
from tpuref.layers.convolution import separable_conv2d as separable_conv2d
from tpuref.layers.dense import Dense as Dense
from tpuref.layers.dense import dense as dense
from tpuref.layers.dropout import Dropout as Dropout
from tpuref.layers.dropout import dropout as dropout
from tpuref.layers.flatten import Flatten as Flatten
from tpuref.layers.flatten import flatten as flatten
from tpuref.layers.layer import Layer as Layer
from tpuref.layers.normalization import BatchNormalization as BatchNormalization
from tpuref.layers.normalization import batch_normalization as batch_normalization
from tpuref.layers.pooling import AveragePooling1D as AveragePooling1D
from tpuref.layers.pooling import AveragePooling2D as AveragePooling2D
from tpuref.layers.pooling import MaxPooling1D as MaxPooling1D
from tpuref.layers.pooling import MaxPooling2D as MaxPooling2D
from tpuref.layers.pooling import average_pooling1d as average_pooling1d
from tpuref.layers.pooling import average_pooling2d as average_pooling2d
from tpuref.layers.pooling import max_pooling1d as max_pooling1d
from tpuref.layers.pooling import max_pooling2d as max_pooling2d
