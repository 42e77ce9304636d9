"""The names under ``tf.compat.v1.errors``."""

from tpuref.base.errors import ArgumentCountError as ArgumentCountError
from tpuref.base.errors import InaccessibleTensorError as InaccessibleTensorError
from tpuref.base.errors import StructureError as StructureError
from tpuref.compat.v2.errors import *
