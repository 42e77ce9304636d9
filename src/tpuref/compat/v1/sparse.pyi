"""The names under ``tf.compat.v1.sparse``."""

from tpuref.data.sparse import SparseTensor as SparseTensor
from tpuref.data.sparse import to_dense as to_dense
