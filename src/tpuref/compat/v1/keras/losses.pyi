"""The names under ``tf.compat.v1.keras.losses``."""

from tpuref.interface.losses.reduction import LossReduction

Reduction = LossReduction
