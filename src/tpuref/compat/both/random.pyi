"""The names that ``tf.random`` has in both releases, with one meaning."""

from tpuref.interface.functions.random import categorical as categorical
from tpuref.interface.functions.random import truncated_normal as truncated_normal
from tpuref.interface.functions.stateless import stateless_categorical as stateless_categorical
from tpuref.interface.functions.stateless import stateless_normal as stateless_normal
from tpuref.interface.functions.stateless import stateless_truncated_normal as stateless_truncated_normal
from tpuref.interface.functions.stateless import stateless_uniform as stateless_uniform
