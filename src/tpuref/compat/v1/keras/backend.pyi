"""The names under ``tf.compat.v1.keras.backend``."""

from tpuref.interface.data.sparse import is_sparse as is_sparse
