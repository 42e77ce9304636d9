"""The names under ``tf.compat.v1.dtypes``."""

from tpuref.base.dtypes import DType as DType
from tpuref.base.dtypes import as_dtype as as_dtype
from tpuref.base.dtypes import bfloat16 as bfloat16
from tpuref.base.dtypes import bool_
from tpuref.base.dtypes import complex128 as complex128
from tpuref.base.dtypes import complex64 as complex64
from tpuref.base.dtypes import double as double
from tpuref.base.dtypes import float16 as float16
from tpuref.base.dtypes import float32 as float32
from tpuref.base.dtypes import float64 as float64
from tpuref.base.dtypes import half as half
from tpuref.base.dtypes import int16 as int16
from tpuref.base.dtypes import int32 as int32
from tpuref.base.dtypes import int64 as int64
from tpuref.base.dtypes import int8 as int8
from tpuref.base.dtypes import string as string
from tpuref.base.dtypes import uint16 as uint16
from tpuref.base.dtypes import uint32 as uint32
from tpuref.base.dtypes import uint64 as uint64
from tpuref.base.dtypes import uint8 as uint8
from tpuref.interface.functions.complex_numbers import complex as complex
from tpuref.interface.functions.conversion import cast as cast
from tpuref.interface.functions.conversion import saturate_cast as saturate_cast

bool = bool_
