"""The names under ``tf.experimental``."""

from tpuref.functions import dlpack as dlpack
from tpuref.missing.namespaces import explain_missing as _explain_missing

_explain_missing(__name__, "tf.experimental")
_explain_missing(dlpack.__name__, "tf.experimental.dlpack")
