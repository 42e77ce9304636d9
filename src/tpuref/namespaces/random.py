"""The names under ``tf.random``."""

# ruff: noqa: F401 - a list of names

from tpuref.functions.random import categorical as categorical
from tpuref.functions.random import get_seed as get_seed
from tpuref.functions.random import multinomial as multinomial
from tpuref.functions.random import random_normal as normal
from tpuref.functions.random import random_shuffle as shuffle
from tpuref.functions.random import random_uniform as uniform
from tpuref.functions.random import set_random_seed as set_random_seed
from tpuref.functions.random import set_random_seed as set_seed
from tpuref.functions.random import truncated_normal as truncated_normal
from tpuref.missing.namespaces import explain_missing as _explain_missing

_explain_missing(__name__, "tf.random")
