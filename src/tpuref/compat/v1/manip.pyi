"""The names under ``tf.compat.v1.manip``."""

from tpuref.interface.functions.blocks import batch_to_space_nd as batch_to_space_nd
from tpuref.interface.functions.blocks import space_to_batch_nd as space_to_batch_nd
from tpuref.interface.functions.indexing import gather_nd as gather_nd
from tpuref.interface.functions.indexing import scatter_nd as scatter_nd
from tpuref.interface.functions.repetition import tile as tile
from tpuref.interface.functions.reshaping import reshape as reshape
from tpuref.interface.functions.reshaping import reverse as reverse
from tpuref.interface.functions.reshaping import roll as roll
