"""Estimators: ``tf.estimator``."""
