"""The names under ``tf.compat.v2.debugging``."""

from tpuref.functions.assertions import assert_equal_v2
from tpuref.functions.assertions import assert_greater_v2
from tpuref.functions.assertions import assert_less_v2
from tpuref.functions.assertions import assert_rank_v2
from tpuref.functions.control_flow import Assert as Assert

assert_equal = assert_equal_v2
assert_greater = assert_greater_v2
assert_less = assert_less_v2
assert_rank = assert_rank_v2
