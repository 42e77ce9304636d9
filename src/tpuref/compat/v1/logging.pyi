"""The names under ``tf.compat.v1.logging``."""

from tpuref.base.tf_logging import DEBUG as DEBUG
from tpuref.base.tf_logging import ERROR as ERROR
from tpuref.base.tf_logging import FATAL as FATAL
from tpuref.base.tf_logging import INFO as INFO
from tpuref.base.tf_logging import WARN as WARN
from tpuref.base.tf_logging import debug as debug
from tpuref.base.tf_logging import error as error
from tpuref.base.tf_logging import fatal as fatal
from tpuref.base.tf_logging import flush as flush
from tpuref.base.tf_logging import get_logger as get_logger
from tpuref.base.tf_logging import get_verbosity as get_verbosity
from tpuref.base.tf_logging import info as info
from tpuref.base.tf_logging import log as log
from tpuref.base.tf_logging import log_every_n as log_every_n
from tpuref.base.tf_logging import log_first_n as log_first_n
from tpuref.base.tf_logging import set_verbosity as set_verbosity
from tpuref.base.tf_logging import warn as warn
from tpuref.base.tf_logging import warning as warning
