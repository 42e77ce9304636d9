"""The error classes: run-time errors by status code, and build-time errors.

Run-time errors have the status names of ``tf.errors``.  Where a document says
ValueError and releases raise TypeError, the class derives from both, so handlers
written for either work.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

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
    """Return an exception of a built-in class whose message ends with a code.

    `details` are further arguments of the class, such as ``name=`` of ImportError.  An
    `OpError` takes the code as an argument instead.
    """
    return kind(f"{message} [{code}]", **details)


class OpError(Exception):
    """An error raised while operations run.

    It takes a message, or TensorFlow's arguments ``(node_def, op, message)``; for
    `OpError` itself the status code follows.

    Parameters
    ----------
    node_def
        The node that failed, by default that of `op`.  Without `message`, this is the
        message.
    op
        The operation that failed: a `tf.Operation` if ``Session.run`` raised the error,
        a name if no graph is at hand, or None.
    message
        The message: what was expected, what was given, and what to do.  The attribute
        ends with the code.
    error_code
        The status code, such as `tf.errors.ABORTED`, by default that of the class.
    code
        The code that ends the message, one of `tpuref.base.error_codes`.
    site
        The user's line that built the operation.

    Examples
    --------
    >>> error = tf.errors.DeadlineExceededError(None, None, "it took too long")
    >>> error.message, error.op, error.error_code
    ('it took too long', None, 4)
    >>> tf.errors.DeadlineExceededError("it took too long").message
    'it took too long'
    """

    error_code: int = UNKNOWN

    def __init__(
        self,
        node_def: Any = None,
        op: Any = None,
        message: str | None = None,
        error_code: int | None = None,
        *,
        code: str | None = None,
        site: CallSite | None = None,
    ) -> None:
        if message is None:
            node_def, message = None, node_def
        if message is None:
            raise TypeError(
                f"{type(self).__name__}: pass a message, or node_def, op and message"
            )
        message = message if code is None else f"{message} [{code}]"
        super().__init__(message)
        self._node_def = node_def
        self.message = message
        self.op = op
        self.site = site or getattr(op, "site", None)
        if error_code is not None:
            self.error_code = error_code

    @property
    def node_def(self) -> Any:
        """The node that failed, or None."""
        if self._node_def is not None:
            return self._node_def
        return getattr(self.op, "node_def", None)

    def __str__(self) -> str:
        parts = [str(self.message)]
        if self.op is not None:
            parts.append(f"  operation: {operation_name(self.op)}")
        if self.site is not None:
            parts.append(f"  built at: {self.site}")
        return "\n".join(parts)

    def __reduce__(self) -> tuple[Any, ...]:
        op = None if self.op is None else operation_name(self.op)
        return _rebuild, (type(self), self.message, op, self.error_code, self.site)


def operation_name(op: Any) -> str:
    """Return the name of an operation; a string is a name already."""
    return str(getattr(op, "name", op))


def _rebuild(
    kind: type[OpError],
    message: str,
    op: str | None,
    error_code: int,
    site: CallSite | None,
) -> OpError:
    return kind(None, op, message, error_code, site=site)


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
