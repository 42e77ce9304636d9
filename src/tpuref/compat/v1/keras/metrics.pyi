"""The names under ``tf.compat.v1.keras.metrics``."""

from tpuref.interface.metrics.accumulated import Accuracy as Accuracy
from tpuref.interface.metrics.accumulated import Mean as Mean
from tpuref.interface.metrics.accumulated import Metric as Metric
from tpuref.interface.metrics.accumulated import SparseCategoricalAccuracy as SparseCategoricalAccuracy
from tpuref.interface.metrics.accumulated import Sum as Sum
