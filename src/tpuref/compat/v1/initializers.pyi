"""The names under ``tf.compat.v1.initializers``."""

from tpuref.compat.both.initializers import *
from tpuref.interface.functions.initializers import Constant
from tpuref.interface.functions.initializers import RandomNormal
from tpuref.interface.functions.initializers import RandomUniform
from tpuref.interface.functions.initializers import TruncatedNormal as TruncatedNormal
from tpuref.interface.functions.variable_scope import global_variables_initializer
from tpuref.interface.functions.variable_scope import local_variables_initializer
from tpuref.interface.functions.variable_scope import tables_initializer as tables_initializer
from tpuref.interface.functions.variable_scope import variables_initializer

constant = Constant
global_variables = global_variables_initializer
local_variables = local_variables_initializer
random_normal = RandomNormal
random_uniform = RandomUniform
truncated_normal = TruncatedNormal
variables = variables_initializer
