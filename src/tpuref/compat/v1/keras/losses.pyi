"""The names under ``tf.compat.v1.keras.losses``."""

from tpuref.losses.reduction import LossReduction

Reduction = LossReduction
