"""The names under ``tf.compat.v2.debugging``."""

from tpuref.interface.functions.assertions import Assert as Assert
from tpuref.interface.functions.assertions import assert_equal_v2
from tpuref.interface.functions.assertions import assert_greater_equal_v2
from tpuref.interface.functions.assertions import assert_greater_v2
from tpuref.interface.functions.assertions import assert_less_equal_v2
from tpuref.interface.functions.assertions import assert_less_v2
from tpuref.interface.functions.assertions import assert_positive_v2
from tpuref.interface.functions.assertions import check_numerics as check_numerics

assert_equal = assert_equal_v2
assert_greater = assert_greater_v2
assert_greater_equal = assert_greater_equal_v2
assert_less = assert_less_v2
assert_less_equal = assert_less_equal_v2
assert_positive = assert_positive_v2
