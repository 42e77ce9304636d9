"""The names under ``tf.compat.v1.layers``."""

from tpuref.interface.layers.convolution import Conv1D as Conv1D
from tpuref.interface.layers.convolution import Conv2D as Conv2D
from tpuref.interface.layers.convolution import Conv2DTranspose as Conv2DTranspose
from tpuref.interface.layers.convolution import SeparableConv2D as SeparableConv2D
from tpuref.interface.layers.convolution import conv1d as conv1d
from tpuref.interface.layers.convolution import conv2d as conv2d
from tpuref.interface.layers.convolution import conv2d_transpose as conv2d_transpose
from tpuref.interface.layers.convolution import separable_conv2d as separable_conv2d
from tpuref.interface.layers.dense import Dense as Dense
from tpuref.interface.layers.dense import dense as dense
from tpuref.interface.layers.dropout import Dropout as Dropout
from tpuref.interface.layers.dropout import dropout as dropout
from tpuref.interface.layers.flatten import Flatten as Flatten
from tpuref.interface.layers.flatten import flatten as flatten
from tpuref.interface.layers.layer import Layer as Layer
from tpuref.interface.layers.normalization import BatchNormalization as BatchNormalization
from tpuref.interface.layers.normalization import batch_normalization as batch_normalization
from tpuref.interface.layers.pooling import AveragePooling2D as AveragePooling2D
from tpuref.interface.layers.pooling import MaxPooling2D as MaxPooling2D
from tpuref.interface.layers.pooling import average_pooling2d as average_pooling2d
from tpuref.interface.layers.pooling import max_pooling2d as max_pooling2d
