"""The names under ``tf.compat.v1.initializers``."""

from tpuref.interface.functions.initializers import Constant
from tpuref.interface.functions.initializers import GlorotNormal
from tpuref.interface.functions.initializers import GlorotUniform
from tpuref.interface.functions.initializers import Identity
from tpuref.interface.functions.initializers import Ones
from tpuref.interface.functions.initializers import Orthogonal
from tpuref.interface.functions.initializers import RandomNormal
from tpuref.interface.functions.initializers import RandomUniform
from tpuref.interface.functions.initializers import TruncatedNormal as TruncatedNormal
from tpuref.interface.functions.initializers import VarianceScaling
from tpuref.interface.functions.initializers import Zeros
from tpuref.interface.functions.initializers import he_normal as he_normal
from tpuref.interface.functions.initializers import he_uniform as he_uniform
from tpuref.interface.functions.initializers import lecun_normal as lecun_normal
from tpuref.interface.functions.initializers import lecun_uniform as lecun_uniform
from tpuref.interface.functions.variable_scope import global_variables_initializer
from tpuref.interface.functions.variable_scope import local_variables_initializer
from tpuref.interface.functions.variable_scope import tables_initializer as tables_initializer
from tpuref.interface.functions.variable_scope import variables_initializer

constant = Constant
global_variables = global_variables_initializer
glorot_normal = GlorotNormal
glorot_uniform = GlorotUniform
identity = Identity
local_variables = local_variables_initializer
ones = Ones
orthogonal = Orthogonal
random_normal = RandomNormal
random_uniform = RandomUniform
truncated_normal = TruncatedNormal
variables = variables_initializer
variance_scaling = VarianceScaling
zeros = Zeros
