"""The names under ``tf.estimator``: models that are trained by their functions."""
