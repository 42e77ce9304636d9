"""The names under ``tf.compat.v1.keras``."""

from tpuref.compat.v1.keras import backend as backend
from tpuref.compat.v1.keras import losses as losses
from tpuref.compat.v1.keras import metrics as metrics
from tpuref.compat.v1.keras import optimizers as optimizers
