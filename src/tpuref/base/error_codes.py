"""The codes of errors and warnings: one for each thing that a user does differently.

A message ends with its code, as ``[TPUREF-E021]``.  Codes never change their meaning,
and unused ones are not reassigned.  `tpuref.tools.error_catalogue` says what each means
and what to do.
"""

import re

PATTERN = re.compile(r"TPUREF-[EW]\d{3}")
"""The pattern of a code: E for an error, W for a logged warning."""


class Code(str):
    """A code; its methods return errors of Python whose messages end with it."""

    __slots__ = ()

    def value_error(self, message: str) -> ValueError:
        """Return a ValueError."""
        return ValueError(f"{message} [{self}]")

    def type_error(self, message: str) -> TypeError:
        """Return a TypeError."""
        return TypeError(f"{message} [{self}]")

    def runtime_error(self, message: str) -> RuntimeError:
        """Return a RuntimeError."""
        return RuntimeError(f"{message} [{self}]")


# Settings and names
INVALID_SETTING = Code("TPUREF-E001")
NOT_INSTALLED = Code("TPUREF-E004")
MISSING_NAME = Code("TPUREF-E200")
TENSORFLOW_LOADED = Code("TPUREF-E253")

# Arguments and results
WRONG_ARGUMENT_TYPE = Code("TPUREF-E014")
INVALID_ARGUMENT = Code("TPUREF-E098")
WRONG_COUNT = Code("TPUREF-E025")
STRUCTURES_DIFFER = Code("TPUREF-E023")
SHAPES_DIFFER = Code("TPUREF-E034")
UNKNOWN_SHAPE = Code("TPUREF-E144")
INVALID_PADDING = Code("TPUREF-E151")
INVALID_RESULT = Code("TPUREF-E026")
LIMIT_EXCEEDED = Code("TPUREF-E077")
FROZEN = Code("TPUREF-E103")
NOT_RECORDING = Code("TPUREF-E194")

# Replicas, shards and sums
UNEVEN_SHARDS = Code("TPUREF-E021")
REPLICAS_MISSING = Code("TPUREF-E033")
REPLICAS_DISAGREE = Code("TPUREF-E035")
NESTED_COMPUTATION = Code("TPUREF-E036")
REPLICAS_UNLIKE_CORES = Code("TPUREF-E055")

# Cores and hosts
SYSTEM_SHUT_DOWN = Code("TPUREF-E010")
CORE_NOT_STARTED = Code("TPUREF-E040")
CORE_LOST = Code("TPUREF-E041")
STALLED = Code("TPUREF-E042")
OUT_OF_MEMORY = Code("TPUREF-E044")
HOST_FUNCTION_RAISED = Code("TPUREF-E038")
HOSTS_NOT_JOINED = Code("TPUREF-E265")
HOST_LOST = Code("TPUREF-E266")
PROCESSES_DIFFER = Code("TPUREF-E263")

# Compilation by XLA
XLA_DATA_DEPENDENT = Code("TPUREF-E274")
XLA_SHAPES_DIFFER = Code("TPUREF-E275")
XLA_OPERATION = Code("TPUREF-E278")

# Topologies and devices
INVALID_TOPOLOGY = Code("TPUREF-E058")
INVALID_POSITION = Code("TPUREF-E051")
UNKNOWN_DEVICE = Code("TPUREF-E059")

# Cloud TPUs, clusters and servers
TPU_NOT_SPECIFIED = Code("TPUREF-E061")
UNKNOWN_TPU = Code("TPUREF-E062")
TPU_ACCESS_DENIED = Code("TPUREF-E196")
INVALID_CLUSTER = Code("TPUREF-E070")
CANNOT_LISTEN = Code("TPUREF-E074")
SERVER_UNREACHABLE = Code("TPUREF-E075")

# Distribution strategies
WRONG_CONTEXT = Code("TPUREF-E081")
NOT_REDUCIBLE = Code("TPUREF-E084")
PER_DEVICE_AS_TENSOR = Code("TPUREF-E085")
NO_AGGREGATION = Code("TPUREF-E088")

# Datasets, files and checkpoints
END_OF_SEQUENCE = Code("TPUREF-E090")
FILE_FAULT = Code("TPUREF-E210")
DAMAGED_FILE = Code("TPUREF-E217")
INVALID_FEATURE = Code("TPUREF-E212")
NO_CHECKPOINT = Code("TPUREF-E213")
FOREIGN_CHECKPOINT = Code("TPUREF-E214")
NOT_IN_CHECKPOINT = Code("TPUREF-E215")
CANNOT_SAVE = Code("TPUREF-E218")

# Graphs, traced functions and gradients
LEAKED_TENSOR = Code("TPUREF-E100")
OTHER_GRAPH = Code("TPUREF-E101")
NO_SUCH_ELEMENT = Code("TPUREF-E102")
NO_VALUE_YET = Code("TPUREF-E105")
NUMPY_NOT_SUPPORTED = Code("TPUREF-E106")
WRONG_MODE = Code("TPUREF-E108")
LOOP_VARIABLE_CHANGES = Code("TPUREF-E118")
PYTHON_CONTROL_FLOW = Code("TPUREF-E230")
VARIABLES_MADE_AGAIN = Code("TPUREF-E231")
OTHER_SIGNATURE = Code("TPUREF-E232")
NO_GRADIENT = Code("TPUREF-E190")

# Operations and values
INVALID_OPERANDS = Code("TPUREF-E110")
WRONG_SHAPE = Code("TPUREF-E117")
DTYPES_DIFFER = Code("TPUREF-E112")
INDEX_OUT_OF_RANGE = Code("TPUREF-E115")
INTEGER_DIVISION_BY_ZERO = Code("TPUREF-E116")
NO_TENSOR_FORM = Code("TPUREF-E120")

# Sessions and variables
SESSION_CLOSED = Code("TPUREF-E130")
CANNOT_FEED = Code("TPUREF-E132")
UNINITIALIZED = Code("TPUREF-E140")
VARIABLE_REUSE = Code("TPUREF-E141")
VARIABLE_MISMATCH = Code("TPUREF-E143")

# Training
OPTIMIZER_LACKS_UPDATE = Code("TPUREF-E222")
NAN_LOSS = Code("TPUREF-E243")
INVALID_MODEL_FUNCTION = Code("TPUREF-E245")

# Infeed and outfeed
INFEED_UNBALANCED = Code("TPUREF-E167")
FEED_MISMATCH = Code("TPUREF-E168")
FEED_MISPLACED = Code("TPUREF-E169")

# Warnings, which are logged
STALL_REPORT = Code("TPUREF-W012")
OUTSIDE_OF_REPLICAS = Code("TPUREF-W031")
SUM_OF_MEANS = Code("TPUREF-W030")
MANY_TRACES = Code("TPUREF-W033")
NO_RESULT = Code("TPUREF-W034")
WORTH_COMPILING = Code("TPUREF-W035")
SERVER_UNPROTECTED = Code("TPUREF-W070")
CHECKPOINT_WITHOUT_CHECKSUMS = Code("TPUREF-W217")
SHARED_CHECKPOINTS = Code("TPUREF-W218")
NO_POOL_HERE = Code("TPUREF-W254")


def with_code(message: str, code: str) -> str:
    """Return a message that ends with a code; an existing code stays."""
    return message if PATTERN.search(message) else f"{message} [{code}]"
