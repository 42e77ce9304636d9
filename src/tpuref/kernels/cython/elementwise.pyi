from collections.abc import Mapping

from tpuref.kernels.python.convolution import Array
from tpuref.kernels.python.elementwise import Chain as Chain

OPERATIONS: Mapping[str, int]
MOST_STEPS: int

def relu(features: Array, result: Array) -> None: ...
def relu_gradient(gradient: Array, features: Array, result: Array) -> None: ...
def cube(x: Array, result: Array) -> None: ...
