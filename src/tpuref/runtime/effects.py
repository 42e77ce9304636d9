"""The operations that are more than a function of arrays.

Variables, calls of the user's Python functions, infeed queues, iterators over
datasets, and the TPU system.
Each takes one replica's inputs and gives that replica's outputs.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base.callsite import CallSite
from tpuref.base.dtypes import DType, as_dtype, string
from tpuref.base.errors import (
    FailedPreconditionError,
    InvalidArgumentError,
    OpError,
    OutOfRangeError,
    ResourceExhaustedError,
    UnimplementedError,
    UnknownError,
)
from tpuref.ops.definition import Array, outputs_of
from tpuref.program import Instr
from tpuref.runtime.feed import Feed
from tpuref.runtime.iteration import Iteration
from tpuref.runtime.ownership import owned
from tpuref.runtime.run import Run, Systems
from tpuref.runtime.state import State

Effect = Callable[[Instr, Sequence[Array], int, Run], Sequence[Array]]


def _read(instr: Instr, inputs: Sequence[Array], replica: int, run: Run) -> list[Array]:
    return [run.variables[replica].read(instr.attrs["handle"])]


def _is_initialized(
    instr: Instr, inputs: Sequence[Array], replica: int, run: Run
) -> list[Array]:
    return [np.asarray(run.variables[replica].is_initialized(instr.attrs["handle"]))]


def _assign(
    instr: Instr, inputs: Sequence[Array], replica: int, run: Run
) -> list[Array]:
    return _store(instr, inputs[0], replica, run)


def _assign_add(
    instr: Instr, inputs: Sequence[Array], replica: int, run: Run
) -> list[Array]:
    return _update(np.add, instr, inputs[0], replica, run)


def _assign_sub(
    instr: Instr, inputs: Sequence[Array], replica: int, run: Run
) -> list[Array]:
    return _update(np.subtract, instr, inputs[0], replica, run)


def _update(
    combine: np.ufunc, instr: Instr, change: Array, replica: int, run: Run
) -> list[Array]:
    old = run.variables[replica].read(instr.attrs["handle"])
    with np.errstate(all="ignore"):
        new = np.asarray(combine(old, change), old.dtype)
    return _store(instr, new, replica, run)


def _store(instr: Instr, value: Array, replica: int, run: Run) -> list[Array]:
    if not instr.specs[0].shape.is_compatible_with(value.shape):
        raise InvalidArgumentError(
            f"the variable {instr.attrs['handle']!r} holds "
            f"{instr.specs[0].describe()}, got shape {list(value.shape)}",
            code=codes.VARIABLE_MISMATCH,
        )
    run.variables[replica].write(instr.attrs["handle"], value)
    return [value]


def _call_python(
    instr: Instr, inputs: Sequence[Array], replica: int, run: Run
) -> list[Array]:
    function, dtypes = run.functions[instr.attrs["token"]], instr.attrs["dtypes"]
    try:
        # A scalar arrives as one: bytes for text, else NumPy's.
        returned = outputs_of(function(*[array.copy()[()] for array in inputs]))
    except Exception as error:
        raise _host_fault(error, replica) from error
    if not dtypes and len(returned) == 1 and returned[0] is None:
        return []
    if len(returned) != len(dtypes):
        raise InvalidArgumentError(
            f"the host function called for replica {replica} returned {len(returned)} "
            f"values, Tout names {len(dtypes)} types",
            code=codes.HOST_FUNCTION_RESULT,
        )
    return [
        _returned_array(value, as_dtype(dtype), f"output {k} on replica {replica}")
        for k, (value, dtype) in enumerate(zip(returned, dtypes, strict=True))
    ]


_FAULTS: tuple[tuple[type[Exception], type[OpError]], ...] = (
    (ValueError, InvalidArgumentError),
    (TypeError, InvalidArgumentError),
    (StopIteration, OutOfRangeError),
    (MemoryError, ResourceExhaustedError),
    (NotImplementedError, UnimplementedError),
)
"""What a host function raises, and what the session then raises, as in TensorFlow."""


def _host_fault(error: Exception, replica: int) -> OpError:
    """Return the error that tells of the replica and the line of the host function."""
    return host_fault(f"the host function called for replica {replica}", error)


def host_fault(what: str, error: Exception) -> OpError:
    """Return the error for what code of the user's raised on the host."""
    kinds = [fault for kind, fault in _FAULTS if isinstance(error, kind)]
    if isinstance(error, OpError):
        kinds = [type(error)]
    kind = kinds[0] if kinds else UnknownError
    said = codes.with_code(str(error), codes.HOST_FUNCTION_RAISED)
    return kind(f"{what} raised {type(error).__name__}: {said}{_raised_at(error)}")


def _raised_at(error: Exception) -> str:
    """Return the line of the host function, where it is a Python function."""
    frames = traceback.extract_tb(error.__traceback__)[1:]  # without our own
    if not frames:
        return ""
    first = frames[0]
    site = CallSite(first.filename, first.lineno or 0, first.name)
    return f"\n  raised at: {site}"


def _returned_array(value: object, dtype: DType, name: str) -> Array:
    """Return a copy of what a host function returned, as the type it promised."""
    if dtype == string:
        return _text(value)
    array = np.asarray(value)
    both_integers = array.dtype.kind in "iu" and dtype.is_integer
    if not both_integers and not np.can_cast(array.dtype, dtype.np, "same_kind"):
        raise InvalidArgumentError(
            f"the host function returned {array.dtype} as {name}, Tout names "
            f"{dtype.name}",
            code=codes.HOST_FUNCTION_RESULT,
        )
    return array.astype(dtype.np, "C")


def _text(value: object) -> Array:
    given = np.asarray(value, object)
    array = np.empty(given.shape, object)
    for index, item in np.ndenumerate(given):
        array[index] = item if isinstance(item, bytes) else str(item).encode()
    return array


def _replica_id(
    instr: Instr, inputs: Sequence[Array], replica: int, run: Run
) -> list[Array]:
    return [np.asarray(replica, np.int32)]


def _dequeue(
    instr: Instr, inputs: Sequence[Array], replica: int, run: Run
) -> Sequence[Array]:
    return run.state.infeed(instr.attrs["queue"]).dequeue(
        replica, run.timeout, run.watch
    )


def _enqueue(
    instr: Instr, inputs: Sequence[Array], replica: int, run: Run
) -> list[Array]:
    run.state.infeed(instr.attrs["queue"]).enqueue(instr.attrs["shard"], inputs)
    return []


def _close(
    instr: Instr, inputs: Sequence[Array], replica: int, run: Run
) -> list[Array]:
    run.state.infeed(instr.attrs["queue"]).close()
    return []


def _make_iterator(
    instr: Instr, inputs: Sequence[Array], replica: int, run: Run
) -> list[Array]:
    begin = run.functions[instr.attrs["token"]]
    kept = list(map(owned, inputs))
    _kept(run).begin_iteration(instr.attrs["iterator"], begin(kept, run))
    return []


def _get_next(
    instr: Instr, inputs: Sequence[Array], replica: int, run: Run
) -> Sequence[Array]:
    return _iteration(instr, run).next()


def _iteration(instr: Instr, run: Run) -> Iteration:
    name, token = instr.attrs["iterator"], instr.attrs["token"]
    state = _kept(run)
    if token is not None and not state.has_iteration(name):  # begins by itself
        state.begin_iteration(name, run.functions[token]((), run))
    return state.iteration(name)


def _begin_feed(
    instr: Instr, inputs: Sequence[Array], replica: int, run: Run
) -> list[Array]:
    attrs = instr.attrs
    iteration, steps = _iteration(instr, run), int(inputs[0])
    feed = Feed(iteration.next, attrs["towers"], attrs["width"], steps)
    _kept(run).begin_feed(attrs["feed"], feed)
    return []


def _fed(
    instr: Instr, inputs: Sequence[Array], replica: int, run: Run
) -> Sequence[Array]:
    count = int(inputs[0]) if inputs else 1  # a core may ask for several
    return _kept(run).feed(instr.attrs["feed"]).next(replica, count)


def _kept(run: Run) -> State:
    assert isinstance(run.state, State)
    return run.state


def _replicate(
    instr: Instr, inputs: Sequence[Array], replica: int, run: Run
) -> list[Array]:
    return _systems(run).replicate(instr, inputs, run)


def _initialize(
    instr: Instr, inputs: Sequence[Array], replica: int, run: Run
) -> list[Array]:
    topology = np.empty((), object)
    topology[()] = _systems(run).initialize(instr)
    return [topology]


def _shutdown(
    instr: Instr, inputs: Sequence[Array], replica: int, run: Run
) -> list[Array]:
    _systems(run).shutdown(instr)
    return []


def _systems(run: Run) -> Systems:
    if run.systems is None:
        raise FailedPreconditionError(
            "the TPU system cannot be started, stopped or used from within a "
            "replicated computation; do it outside",
            code=codes.SYSTEM_USED_FROM_WITHIN,
        )
    return run.systems


EFFECTS: dict[str, Effect] = {
    "VariableV2": _read,
    "ReadVariableOp": _read,
    "IsVariableInitialized": _is_initialized,
    "Assign": _assign,
    "AssignAdd": _assign_add,
    "AssignSub": _assign_sub,
    "PyFunc": _call_python,
    "ReplicaId": _replica_id,
    "InfeedDequeueTuple": _dequeue,
    "InfeedEnqueueTuple": _enqueue,
    "InfeedClose": _close,
    "MakeIterator": _make_iterator,
    "IteratorGetNext": _get_next,
    "FeedBegin": _begin_feed,
    "FeedDequeue": _fed,
    "TPUReplicate": _replicate,
    "ConfigureDistributedTPU": _initialize,
    "ShutdownDistributedTPU": _shutdown,
}
