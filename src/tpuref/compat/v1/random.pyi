"""The names under ``tf.compat.v1.random``."""

from tpuref.functions.random import categorical as categorical
from tpuref.functions.random import get_seed as get_seed
from tpuref.functions.random import multinomial as multinomial
from tpuref.functions.random import random_normal
from tpuref.functions.random import random_shuffle
from tpuref.functions.random import random_uniform
from tpuref.functions.random import set_random_seed as set_random_seed
from tpuref.functions.random import truncated_normal as truncated_normal

normal = random_normal
set_seed = set_random_seed
shuffle = random_shuffle
uniform = random_uniform
