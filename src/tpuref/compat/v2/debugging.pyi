"""The names under ``tf.compat.v2.debugging``."""

from tpuref.functions.assertions import assert_equal as assert_equal
from tpuref.functions.assertions import assert_greater as assert_greater
from tpuref.functions.assertions import assert_less as assert_less
from tpuref.functions.assertions import assert_rank as assert_rank
from tpuref.functions.control_flow import Assert as Assert
