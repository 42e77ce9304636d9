"""The names under ``tf.contrib.cloud``."""

from tpuref.files.cloud import configure_gcs as configure_gcs
