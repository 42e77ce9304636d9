"""The names under ``tf.compat.v1.math``."""

from tpuref.compat.both.math import *
from tpuref.compat.v1._math import *
from tpuref.interface.functions.activations import log_softmax as log_softmax
from tpuref.interface.functions.activations import softmax as softmax
from tpuref.interface.functions.arithmetic import realdiv as realdiv
from tpuref.interface.functions.arithmetic import truncatemod as truncatemod
from tpuref.interface.functions.clipping import clip_by_global_norm as clip_by_global_norm
from tpuref.interface.functions.clipping import clip_by_norm as clip_by_norm
from tpuref.interface.functions.clipping import clip_by_value as clip_by_value
from tpuref.interface.functions.complex_numbers import complex as complex
from tpuref.interface.functions.conversion import cast as cast
from tpuref.interface.functions.conversion import saturate_cast as saturate_cast
