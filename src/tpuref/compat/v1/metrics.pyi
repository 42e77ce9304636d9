"""The names under ``tf.compat.v1.metrics``."""

from tpuref.interface.metrics.counts import auc as auc
from tpuref.interface.metrics.counts import false_negatives as false_negatives
from tpuref.interface.metrics.counts import false_positives as false_positives
from tpuref.interface.metrics.counts import mean_iou as mean_iou
from tpuref.interface.metrics.counts import precision as precision
from tpuref.interface.metrics.counts import recall as recall
from tpuref.interface.metrics.counts import true_negatives as true_negatives
from tpuref.interface.metrics.counts import true_positives as true_positives
from tpuref.interface.metrics.means import accuracy as accuracy
from tpuref.interface.metrics.means import mean as mean
from tpuref.interface.metrics.means import mean_absolute_error as mean_absolute_error
from tpuref.interface.metrics.means import mean_squared_error as mean_squared_error
from tpuref.interface.metrics.means import root_mean_squared_error as root_mean_squared_error
from tpuref.interface.metrics.ranking import precision_at_k as precision_at_k
from tpuref.interface.metrics.ranking import recall_at_k as recall_at_k
