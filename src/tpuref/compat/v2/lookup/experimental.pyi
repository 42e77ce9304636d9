"""The names under ``tf.compat.v2.lookup.experimental``."""

from tpuref.interface.data.tables import MutableHashTable as MutableHashTable
