"""The names under ``tf.compat.v1.initializers``."""

from tpuref.functions.initializers import Constant
from tpuref.functions.initializers import GlorotNormal
from tpuref.functions.initializers import GlorotUniform
from tpuref.functions.initializers import Identity
from tpuref.functions.initializers import Ones
from tpuref.functions.initializers import Orthogonal
from tpuref.functions.initializers import RandomNormal
from tpuref.functions.initializers import RandomUniform
from tpuref.functions.initializers import TruncatedNormal as TruncatedNormal
from tpuref.functions.initializers import VarianceScaling
from tpuref.functions.initializers import Zeros
from tpuref.functions.initializers import he_normal as he_normal
from tpuref.functions.initializers import he_uniform as he_uniform
from tpuref.functions.initializers import lecun_normal as lecun_normal
from tpuref.functions.initializers import lecun_uniform as lecun_uniform
from tpuref.functions.variable_scope import global_variables_initializer
from tpuref.functions.variable_scope import local_variables_initializer
from tpuref.functions.variable_scope import tables_initializer as tables_initializer
from tpuref.functions.variable_scope import variables_initializer

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
