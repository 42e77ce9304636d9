"""The names under ``tf.compat.v2.random``."""

from tpuref.interface.functions.random import categorical as categorical
from tpuref.interface.functions.random import random_normal
from tpuref.interface.functions.random import random_shuffle
from tpuref.interface.functions.random import random_uniform
from tpuref.interface.functions.random import set_random_seed
from tpuref.interface.functions.random import truncated_normal as truncated_normal
from tpuref.interface.functions.stateless import stateless_binomial as stateless_binomial
from tpuref.interface.functions.stateless import stateless_categorical as stateless_categorical
from tpuref.interface.functions.stateless import stateless_gamma as stateless_gamma
from tpuref.interface.functions.stateless import stateless_normal as stateless_normal
from tpuref.interface.functions.stateless import stateless_truncated_normal as stateless_truncated_normal
from tpuref.interface.functions.stateless import stateless_uniform as stateless_uniform

normal = random_normal
set_seed = set_random_seed
shuffle = random_shuffle
uniform = random_uniform
