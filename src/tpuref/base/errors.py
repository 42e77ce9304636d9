"""The error classes: run-time errors by status code, and build-time errors.

Run-time errors have the status names of ``tf.errors``.  Where a document says
ValueError and releases raise TypeError, the class derives from both, so handlers
written for either work.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

if TYPE_CHECKING:
    from tpuref.base.callsite import CallSite

OK = 0
CANCELLED = 1
UNKNOWN = 2
INVALID_ARGUMENT = 3
DEADLINE_EXCEEDED = 4
NOT_FOUND = 5
ALREADY_EXISTS = 6
PERMISSION_DENIED = 7
RESOURCE_EXHAUSTED = 8
FAILED_PRECONDITION = 9
ABORTED = 10
OUT_OF_RANGE = 11
UNIMPLEMENTED = 12
INTERNAL = 13
UNAVAILABLE = 14
DATA_LOSS = 15
UNAUTHENTICATED = 16

Fault = TypeVar("Fault", bound=Exception)


def coded(kind: type[Fault], message: str, *, code: str, **details: str) -> Fault:
    """Return an exception whose message ends with a code.

    Parameters
    ----------
    kind
        The class of the exception, such as ValueError.  An `OpError` takes the code
        itself.
    message
        What went wrong, what was expected, what it got, and how to fix it.
    code
        One of the codes in `tpuref.base.error_codes`.
    **details
        Further arguments of the class, such as ``name=`` of ImportError.
    """
    return kind(f"{message} [{code}]", **details)


class OpError(Exception):
    """An error raised while operations run.

    Parameters
    ----------
    message
        What went wrong, what was expected, what it got, and how to fix it.
    code
        The code that ends the message, one of `tpuref.base.error_codes`.
    op
        The name of the operation that failed, if any.
    site
        The user's line that built the operation.
    """

    error_code: ClassVar[int] = UNKNOWN

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        op: str | None = None,
        site: CallSite | None = None,
    ) -> None:
        message = message if code is None else f"{message} [{code}]"
        super().__init__(message)
        self.message = message
        self.op = op
        self.site = site

    def __str__(self) -> str:
        parts = [self.message]
        if self.op is not None:
            parts.append(f"  operation: {self.op}")
        if self.site is not None:
            parts.append(f"  built at: {self.site}")
        return "\n".join(parts)

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self.message, self.op, self.site)


def _rebuild(
    kind: type[OpError], message: str, op: str | None, site: CallSite | None
) -> OpError:
    return kind(message, op=op, site=site)


class CancelledError(OpError):
    """The operation was cancelled, for example because its session closed."""

    error_code = CANCELLED


class UnknownError(OpError):
    """An error that fits no other class, such as one raised by user code."""

    error_code = UNKNOWN


class InvalidArgumentError(OpError):
    """An operation received an invalid value."""

    error_code = INVALID_ARGUMENT


class DeadlineExceededError(OpError):
    """A wait reached its deadline."""

    error_code = DEADLINE_EXCEEDED


class NotFoundError(OpError):
    """A named thing does not exist."""

    error_code = NOT_FOUND


class AlreadyExistsError(OpError):
    """A thing to be created exists already."""

    error_code = ALREADY_EXISTS


class PermissionDeniedError(OpError):
    """The caller may not do this."""

    error_code = PERMISSION_DENIED


class UnauthenticatedError(OpError):
    """The caller has shown no valid credentials."""

    error_code = UNAUTHENTICATED


class ResourceExhaustedError(OpError):
    """Memory or another resource ran out."""

    error_code = RESOURCE_EXHAUSTED


class FailedPreconditionError(OpError):
    """The system is not in the state that the operation needs."""

    error_code = FAILED_PRECONDITION


class AbortedError(OpError):
    """The operation was stopped midway, for example because a peer failed."""

    error_code = ABORTED


class OutOfRangeError(OpError):
    """An input is exhausted."""

    error_code = OUT_OF_RANGE


class UnimplementedError(OpError):
    """The operation is not available here."""

    error_code = UNIMPLEMENTED


class InternalError(OpError):
    """An invariant of tpuref itself was broken."""

    error_code = INTERNAL


class UnavailableError(OpError):
    """A service cannot be reached."""

    error_code = UNAVAILABLE


class DataLossError(OpError):
    """Data was lost or damaged beyond repair."""

    error_code = DATA_LOSS


class ArgumentCountError(ValueError, TypeError):
    """The inputs do not fit the parameters of the computation.

    The documents say ValueError, the releases raise TypeError; this class is both.
    """


class StructureError(ValueError, TypeError):
    """Two nested structures that must agree do not.

    The documents say ValueError; releases raise TypeError for differing types.
    """


class InaccessibleTensorError(ValueError):
    """A tensor is used where its value does not exist."""
