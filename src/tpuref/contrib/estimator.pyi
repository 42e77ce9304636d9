"""The names under ``tf.contrib.estimator``."""

from tpuref.training.clipped_gradients import clip_gradients_by_norm as clip_gradients_by_norm
