"""The names that ``tf.initializers`` has in both releases, with one meaning."""

from tpuref.interface.functions.initializers import GlorotNormal
from tpuref.interface.functions.initializers import GlorotUniform
from tpuref.interface.functions.initializers import Identity
from tpuref.interface.functions.initializers import Ones
from tpuref.interface.functions.initializers import Orthogonal
from tpuref.interface.functions.initializers import VarianceScaling
from tpuref.interface.functions.initializers import Zeros
from tpuref.interface.functions.initializers import he_normal as he_normal
from tpuref.interface.functions.initializers import he_uniform as he_uniform
from tpuref.interface.functions.initializers import lecun_normal as lecun_normal
from tpuref.interface.functions.initializers import lecun_uniform as lecun_uniform

glorot_normal = GlorotNormal
glorot_uniform = GlorotUniform
identity = Identity
ones = Ones
orthogonal = Orthogonal
variance_scaling = VarianceScaling
zeros = Zeros
