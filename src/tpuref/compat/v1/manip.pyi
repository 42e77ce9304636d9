"""The names under ``tf.compat.v1.manip``."""

from tpuref.functions.indexing import gather_nd as gather_nd
from tpuref.functions.indexing import scatter_nd as scatter_nd
from tpuref.functions.repetition import tile as tile
from tpuref.functions.reshaping import reshape as reshape
from tpuref.functions.reshaping import reverse as reverse
from tpuref.functions.reshaping import roll as roll
