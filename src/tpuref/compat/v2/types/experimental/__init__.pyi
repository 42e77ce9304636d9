"""The names under ``tf.compat.v2.types.experimental``."""

from tpuref.compat.v2.types.experimental import distributed as distributed
from tpuref.engine.tracing.function import Function
from tpuref.engine.tracing.trace import ConcreteFunction as ConcreteFunction
from tpuref.interface.functions.tensor_kinds import TensorLike as TensorLike

GenericFunction = Function
PolymorphicFunction = Function
