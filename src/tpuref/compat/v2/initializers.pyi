"""The names under ``tf.compat.v2.initializers``."""

from tpuref.interface.functions.initializers import ConstantV2
from tpuref.interface.functions.initializers import GlorotNormal as GlorotNormal
from tpuref.interface.functions.initializers import GlorotUniform as GlorotUniform
from tpuref.interface.functions.initializers import Identity as Identity
from tpuref.interface.functions.initializers import Ones as Ones
from tpuref.interface.functions.initializers import Orthogonal as Orthogonal
from tpuref.interface.functions.initializers import RandomNormalV2
from tpuref.interface.functions.initializers import RandomUniformV2
from tpuref.interface.functions.initializers import TruncatedNormalV2
from tpuref.interface.functions.initializers import VarianceScaling as VarianceScaling
from tpuref.interface.functions.initializers import Zeros as Zeros
from tpuref.interface.functions.initializers import he_normal as he_normal
from tpuref.interface.functions.initializers import he_uniform as he_uniform
from tpuref.interface.functions.initializers import lecun_normal as lecun_normal
from tpuref.interface.functions.initializers import lecun_uniform as lecun_uniform

Constant = ConstantV2
RandomNormal = RandomNormalV2
RandomUniform = RandomUniformV2
TruncatedNormal = TruncatedNormalV2
constant = ConstantV2
glorot_normal = GlorotNormal
glorot_uniform = GlorotUniform
identity = Identity
ones = Ones
orthogonal = Orthogonal
random_normal = RandomNormalV2
random_uniform = RandomUniformV2
truncated_normal = TruncatedNormalV2
variance_scaling = VarianceScaling
zeros = Zeros
