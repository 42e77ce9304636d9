"""The names under ``tf.compat.v1.losses``."""

from tpuref.interface.losses.classification import hinge_loss as hinge_loss
from tpuref.interface.losses.classification import log_loss as log_loss
from tpuref.interface.losses.classification import sigmoid_cross_entropy as sigmoid_cross_entropy
from tpuref.interface.losses.classification import softmax_cross_entropy as softmax_cross_entropy
from tpuref.interface.losses.classification import sparse_softmax_cross_entropy as sparse_softmax_cross_entropy
from tpuref.interface.losses.collection import add_loss as add_loss
from tpuref.interface.losses.collection import get_losses as get_losses
from tpuref.interface.losses.collection import get_regularization_loss as get_regularization_loss
from tpuref.interface.losses.collection import get_regularization_losses as get_regularization_losses
from tpuref.interface.losses.collection import get_total_loss as get_total_loss
from tpuref.interface.losses.reduction import Reduction as Reduction
from tpuref.interface.losses.regression import absolute_difference as absolute_difference
from tpuref.interface.losses.regression import cosine_distance as cosine_distance
from tpuref.interface.losses.regression import huber_loss as huber_loss
from tpuref.interface.losses.regression import mean_squared_error as mean_squared_error
from tpuref.interface.losses.weighted import compute_weighted_loss as compute_weighted_loss
