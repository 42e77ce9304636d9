"""The names under ``tf.compat``."""

from tpuref.base.shapes import dimension_value as dimension_value
from tpuref.base.texts import as_bytes as as_bytes
from tpuref.base.texts import as_str as as_str
from tpuref.base.texts import as_str_any as as_str_any
from tpuref.base.texts import as_text as as_text
from tpuref.compat import strategy_names as strategy_names
from tpuref.compat import v1 as v1
from tpuref.compat import v2 as v2
