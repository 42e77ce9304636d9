"""The names under ``tf.compat.v1.random``."""

from tpuref.compat.both.random import *
from tpuref.interface.functions.random import get_seed as get_seed
from tpuref.interface.functions.random import multinomial as multinomial
from tpuref.interface.functions.random import random_normal
from tpuref.interface.functions.random import random_shuffle
from tpuref.interface.functions.random import random_uniform
from tpuref.interface.functions.random import set_random_seed as set_random_seed

normal = random_normal
set_seed = set_random_seed
shuffle = random_shuffle
uniform = random_uniform
