"""The names under ``tf.compat.v1.keras.metrics``."""

from tpuref.metrics.accumulated import Accuracy as Accuracy
from tpuref.metrics.accumulated import Mean as Mean
from tpuref.metrics.accumulated import Metric as Metric
from tpuref.metrics.accumulated import SparseCategoricalAccuracy as SparseCategoricalAccuracy
from tpuref.metrics.accumulated import Sum as Sum
