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
from tpuref.interface.metrics.thresholds import false_negatives_at_thresholds as false_negatives_at_thresholds
from tpuref.interface.metrics.thresholds import false_positives_at_thresholds as false_positives_at_thresholds
from tpuref.interface.metrics.thresholds import precision_at_thresholds as precision_at_thresholds
from tpuref.interface.metrics.thresholds import recall_at_thresholds as recall_at_thresholds
from tpuref.interface.metrics.thresholds import sensitivity_at_specificity as sensitivity_at_specificity
from tpuref.interface.metrics.thresholds import specificity_at_sensitivity as specificity_at_sensitivity
from tpuref.interface.metrics.thresholds import true_negatives_at_thresholds as true_negatives_at_thresholds
from tpuref.interface.metrics.thresholds import true_positives_at_thresholds as true_positives_at_thresholds
