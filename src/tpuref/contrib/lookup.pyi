"""The names under ``tf.contrib.lookup``."""

from tpuref.data.vocabulary import index_table_from_file as index_table_from_file
