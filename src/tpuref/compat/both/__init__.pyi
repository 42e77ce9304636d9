"""The names that ``tf`` has in both releases, with one meaning."""

from tpuref import compat as compat
from tpuref.base.shapes import TensorShape as TensorShape
from tpuref.base.spec import TensorSpec as TensorSpec
from tpuref.base.tf_logging import get_logger as get_logger
from tpuref.compat.both._math import *
from tpuref.compat.v1 import autograph as autograph
from tpuref.compat.v1 import bitwise as bitwise
from tpuref.compat.v1 import dtypes as dtypes
from tpuref.compat.v1 import experimental as experimental
from tpuref.compat.v1.dtypes import *
from tpuref.engine.configuration import config as config
from tpuref.engine.differentiation.indexed_slices import IndexedSlices as IndexedSlices
from tpuref.engine.differentiation.options import AggregationMethod as AggregationMethod
from tpuref.engine.differentiation.options import UnconnectedGradients as UnconnectedGradients
from tpuref.engine.graph.aggregation import VariableAggregation as VariableAggregation
from tpuref.engine.graph.aggregation import VariableSynchronization as VariableSynchronization
from tpuref.engine.graph.convert import register_tensor_conversion_function as register_tensor_conversion_function
from tpuref.engine.graph.default import executing_eagerly as executing_eagerly
from tpuref.engine.graph.default import init_scope as init_scope
from tpuref.engine.graph.graph import Graph as Graph
from tpuref.engine.graph.tensor import Operation as Operation
from tpuref.engine.graph.tensor import Tensor as Tensor
from tpuref.engine.graph.variables import variable_creator_scope as variable_creator_scope
from tpuref.engine.tracing.function import function as function
from tpuref.interface.data.sparse import SparseTensor as SparseTensor
from tpuref.interface.data.type_specs import TypeSpec as TypeSpec
from tpuref.interface.data.type_specs import type_spec_from_value as type_spec_from_value
from tpuref.interface.functions.arithmetic import realdiv as realdiv
from tpuref.interface.functions.arithmetic import truncatemod as truncatemod
from tpuref.interface.functions.assertions import Assert as Assert
from tpuref.interface.functions.assertions import ensure_shape as ensure_shape
from tpuref.interface.functions.blocks import space_to_batch_nd as space_to_batch_nd
from tpuref.interface.functions.branches import case as case
from tpuref.interface.functions.branches import switch_case as switch_case
from tpuref.interface.functions.clipping import clip_by_global_norm as clip_by_global_norm
from tpuref.interface.functions.clipping import clip_by_norm as clip_by_norm
from tpuref.interface.functions.clipping import clip_by_value as clip_by_value
from tpuref.interface.functions.conversion import bitcast as bitcast
from tpuref.interface.functions.creation import eye as eye
from tpuref.interface.functions.creation import fill as fill
from tpuref.interface.functions.creation import one_hot as one_hot
from tpuref.interface.functions.creation import ones as ones
from tpuref.interface.functions.creation import range as range
from tpuref.interface.functions.creation import sequence_mask as sequence_mask
from tpuref.interface.functions.creation import zeros as zeros
from tpuref.interface.functions.dependencies import group as group
from tpuref.interface.functions.dependencies import no_op as no_op
from tpuref.interface.functions.extents import broadcast_dynamic_shape as broadcast_dynamic_shape
from tpuref.interface.functions.extents import broadcast_static_shape as broadcast_static_shape
from tpuref.interface.functions.extents import rank as rank
from tpuref.interface.functions.host_functions import timestamp as timestamp
from tpuref.interface.functions.identity import identity as identity
from tpuref.interface.functions.identity import stop_gradient as stop_gradient
from tpuref.interface.functions.indexing import newaxis as newaxis
from tpuref.interface.functions.indexing import slice as slice
from tpuref.interface.functions.indexing import strided_slice as strided_slice
from tpuref.interface.functions.indexing import tensor_scatter_nd_max as tensor_scatter_nd_max
from tpuref.interface.functions.indexing import tensor_scatter_nd_min as tensor_scatter_nd_min
from tpuref.interface.functions.indexing import tensor_scatter_nd_update as tensor_scatter_nd_update
from tpuref.interface.functions.initializers import Ones
from tpuref.interface.functions.initializers import Zeros
from tpuref.interface.functions.joining import concat as concat
from tpuref.interface.functions.joining import split as split
from tpuref.interface.functions.joining import stack as stack
from tpuref.interface.functions.joining import unstack as unstack
from tpuref.interface.functions.linalg import einsum as einsum
from tpuref.interface.functions.linalg import tensordot as tensordot
from tpuref.interface.functions.mapping import foldl as foldl
from tpuref.interface.functions.mapping import foldr as foldr
from tpuref.interface.functions.mapping import map_fn as map_fn
from tpuref.interface.functions.mapping import scan as scan
from tpuref.interface.functions.mapping import vectorized_map as vectorized_map
from tpuref.interface.functions.module import Module as Module
from tpuref.interface.functions.printing import print_
from tpuref.interface.functions.products import truncatediv as truncatediv
from tpuref.interface.functions.repetition import meshgrid as meshgrid
from tpuref.interface.functions.repetition import repeat as repeat
from tpuref.interface.functions.repetition import tile as tile
from tpuref.interface.functions.reshaping import broadcast_to as broadcast_to
from tpuref.interface.functions.reshaping import reshape as reshape
from tpuref.interface.functions.reshaping import reverse as reverse
from tpuref.interface.functions.reshaping import roll as roll
from tpuref.interface.functions.scopes import control_dependencies as control_dependencies
from tpuref.interface.functions.segments import unique as unique
from tpuref.interface.functions.segments import unique_with_counts as unique_with_counts
from tpuref.interface.functions.sorting import argsort as argsort
from tpuref.interface.functions.sorting import searchsorted as searchsorted
from tpuref.interface.functions.sorting import sort as sort
from tpuref.interface.functions.tensor_array import TensorArray as TensorArray
from tpuref.interface.functions.tensor_kinds import get_static_value as get_static_value
from tpuref.interface.functions.tensor_kinds import is_tensor as is_tensor
from tpuref.interface.gradients.tape import GradientTape as GradientTape

ones_initializer = Ones
print = print_
zeros_initializer = Zeros
