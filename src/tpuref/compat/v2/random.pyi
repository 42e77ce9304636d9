"""The names under ``tf.compat.v2.random``."""

from tpuref.compat.both.random import *
from tpuref.interface.functions.random import random_normal
from tpuref.interface.functions.random import random_shuffle
from tpuref.interface.functions.random import random_uniform
from tpuref.interface.functions.random import set_random_seed
from tpuref.interface.functions.stateless import random_fold_in
from tpuref.interface.functions.stateless import random_split
from tpuref.interface.functions.stateless import stateless_binomial as stateless_binomial
from tpuref.interface.functions.stateless import stateless_gamma as stateless_gamma

fold_in = random_fold_in
normal = random_normal
set_seed = set_random_seed
shuffle = random_shuffle
split = random_split
uniform = random_uniform
