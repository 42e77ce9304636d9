"""The names that ``tf.nn`` has in both releases, with one meaning."""

from tpuref.interface.functions.activations import elu as elu
from tpuref.interface.functions.activations import leaky_relu as leaky_relu
from tpuref.interface.functions.activations import relu as relu
from tpuref.interface.functions.activations import relu6 as relu6
from tpuref.interface.functions.activations import selu as selu
from tpuref.interface.functions.activations import sigmoid as sigmoid
from tpuref.interface.functions.activations import softplus as softplus
from tpuref.interface.functions.activations import softsign as softsign
from tpuref.interface.functions.losses import l2_loss as l2_loss
from tpuref.interface.functions.normalization import batch_normalization as batch_normalization
from tpuref.interface.functions.normalization import bias_add as bias_add
from tpuref.interface.functions.normalization import l2_normalize as l2_normalize
from tpuref.interface.functions.normalization import local_response_normalization as local_response_normalization
from tpuref.interface.functions.normalization import lrn as lrn
from tpuref.interface.functions.normalization import normalize_moments as normalize_moments
from tpuref.interface.functions.trigonometry import tanh as tanh
from tpuref.interface.functions.windows import atrous_conv2d as atrous_conv2d
from tpuref.interface.training.average_loss import compute_average_loss as compute_average_loss
from tpuref.interface.training.average_loss import scale_regularization_loss as scale_regularization_loss
