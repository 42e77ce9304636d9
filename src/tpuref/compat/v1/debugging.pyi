"""The names under ``tf.compat.v1.debugging``."""

from tpuref.interface.functions.assertions import Assert as Assert
from tpuref.interface.functions.assertions import assert_equal as assert_equal
from tpuref.interface.functions.assertions import assert_greater as assert_greater
from tpuref.interface.functions.assertions import assert_greater_equal as assert_greater_equal
from tpuref.interface.functions.assertions import assert_less as assert_less
from tpuref.interface.functions.assertions import assert_less_equal as assert_less_equal
from tpuref.interface.functions.assertions import assert_positive as assert_positive
from tpuref.interface.functions.assertions import check_numerics as check_numerics
from tpuref.interface.functions.comparison import is_finite as is_finite
from tpuref.interface.functions.comparison import is_inf as is_inf
from tpuref.interface.functions.comparison import is_nan as is_nan
