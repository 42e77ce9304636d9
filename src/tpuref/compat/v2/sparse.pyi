"""The names under ``tf.compat.v2.sparse``."""

from tpuref.interface.data.sparse import SparseTensor as SparseTensor
from tpuref.interface.data.sparse import to_dense as to_dense
from tpuref.interface.data.sparse_arithmetic import add as add
from tpuref.interface.data.sparse_arithmetic import concat as concat
from tpuref.interface.data.sparse_arithmetic import expand_dims as expand_dims
from tpuref.interface.data.sparse_arithmetic import from_dense as from_dense
from tpuref.interface.data.sparse_arithmetic import map_values as map_values
from tpuref.interface.data.sparse_arithmetic import maximum as maximum
from tpuref.interface.data.sparse_arithmetic import minimum as minimum
from tpuref.interface.data.sparse_arithmetic import reduce_max as reduce_max
from tpuref.interface.data.sparse_arithmetic import reduce_sum as reduce_sum
from tpuref.interface.data.sparse_arithmetic import reorder as reorder
from tpuref.interface.data.sparse_arithmetic import reshape as reshape
from tpuref.interface.data.sparse_arithmetic import retain as retain
from tpuref.interface.data.sparse_arithmetic import sparse_dense_matmul as sparse_dense_matmul
from tpuref.interface.data.sparse_arithmetic import transpose as transpose
from tpuref.interface.data.sparse_counts import bincount as bincount
from tpuref.interface.data.sparse_counts import cross_hashed as cross_hashed
from tpuref.interface.data.sparse_embeddings import fill_empty_rows as fill_empty_rows
