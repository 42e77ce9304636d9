"""The names under ``tf.compat.v2.random``."""

from tpuref.interface.functions.random import categorical as categorical
from tpuref.interface.functions.random import random_normal
from tpuref.interface.functions.random import random_shuffle
from tpuref.interface.functions.random import random_uniform
from tpuref.interface.functions.random import set_random_seed
from tpuref.interface.functions.random import truncated_normal as truncated_normal

normal = random_normal
set_seed = set_random_seed
shuffle = random_shuffle
uniform = random_uniform
