"""The names under ``tf.errors``."""

from tpuref.base.errors import ABORTED as ABORTED
from tpuref.base.errors import ALREADY_EXISTS as ALREADY_EXISTS
from tpuref.base.errors import CANCELLED as CANCELLED
from tpuref.base.errors import DATA_LOSS as DATA_LOSS
from tpuref.base.errors import DEADLINE_EXCEEDED as DEADLINE_EXCEEDED
from tpuref.base.errors import FAILED_PRECONDITION as FAILED_PRECONDITION
from tpuref.base.errors import INTERNAL as INTERNAL
from tpuref.base.errors import INVALID_ARGUMENT as INVALID_ARGUMENT
from tpuref.base.errors import NOT_FOUND as NOT_FOUND
from tpuref.base.errors import OK as OK
from tpuref.base.errors import OUT_OF_RANGE as OUT_OF_RANGE
from tpuref.base.errors import PERMISSION_DENIED as PERMISSION_DENIED
from tpuref.base.errors import RESOURCE_EXHAUSTED as RESOURCE_EXHAUSTED
from tpuref.base.errors import UNAUTHENTICATED as UNAUTHENTICATED
from tpuref.base.errors import UNAVAILABLE as UNAVAILABLE
from tpuref.base.errors import UNIMPLEMENTED as UNIMPLEMENTED
from tpuref.base.errors import UNKNOWN as UNKNOWN
from tpuref.base.errors import AbortedError as AbortedError
from tpuref.base.errors import AlreadyExistsError as AlreadyExistsError
from tpuref.base.errors import ArgumentCountError as ArgumentCountError
from tpuref.base.errors import CancelledError as CancelledError
from tpuref.base.errors import DataLossError as DataLossError
from tpuref.base.errors import DeadlineExceededError as DeadlineExceededError
from tpuref.base.errors import FailedPreconditionError as FailedPreconditionError
from tpuref.base.errors import InaccessibleTensorError as InaccessibleTensorError
from tpuref.base.errors import InternalError as InternalError
from tpuref.base.errors import InvalidArgumentError as InvalidArgumentError
from tpuref.base.errors import NotFoundError as NotFoundError
from tpuref.base.errors import OpError as OpError
from tpuref.base.errors import OutOfRangeError as OutOfRangeError
from tpuref.base.errors import PermissionDeniedError as PermissionDeniedError
from tpuref.base.errors import ResourceExhaustedError as ResourceExhaustedError
from tpuref.base.errors import StructureError as StructureError
from tpuref.base.errors import UnauthenticatedError as UnauthenticatedError
from tpuref.base.errors import UnavailableError as UnavailableError
from tpuref.base.errors import UnimplementedError as UnimplementedError
from tpuref.base.errors import UnknownError as UnknownError
from tpuref.missing.namespaces import explain_missing as _explain_missing

_explain_missing(__name__, "tf.errors")
