"""The names under ``tf.compat.v1.sparse``."""

from tpuref.interface.data.sparse import SparseTensor as SparseTensor
from tpuref.interface.data.sparse import to_dense as to_dense
