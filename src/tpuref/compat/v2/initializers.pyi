"""The names under ``tf.compat.v2.initializers``."""

from tpuref.compat.both.initializers import *
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

Constant = ConstantV2
RandomNormal = RandomNormalV2
RandomUniform = RandomUniformV2
TruncatedNormal = TruncatedNormalV2
constant = ConstantV2
random_normal = RandomNormalV2
random_uniform = RandomUniformV2
truncated_normal = TruncatedNormalV2
