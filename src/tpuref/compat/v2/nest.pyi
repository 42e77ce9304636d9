"""The names under ``tf.compat.v2.nest``."""

from tpuref.base.nest import assert_same_structure as assert_same_structure
from tpuref.base.nest import flatten as flatten
from tpuref.base.nest import is_nested as is_nested
from tpuref.base.nest import map_structure as map_structure
from tpuref.base.nest import pack_sequence_as as pack_sequence_as
