"""The operations that are more than a function of arrays.

Variables, calls of the user's Python functions, infeed queues, and the TPU system.
Each takes one replica's inputs and gives that replica's outputs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from tpuref.base.dtypes import as_dtype
from tpuref.base.errors import (
    FailedPreconditionError,
    InvalidArgumentError,
    OpError,
    UnknownError,
)
from tpuref.ops.definition import Array, outputs_of
from tpuref.program import Instr
from tpuref.runtime.run import Host, Run

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
            f"{instr.specs[0].describe()}, got shape {list(value.shape)}"
        )
    run.variables[replica].write(instr.attrs["handle"], value)
    return [value]


def _call_python(
    instr: Instr, inputs: Sequence[Array], replica: int, run: Run
) -> list[Array]:
    function, dtypes = run.functions[instr.attrs["token"]], instr.attrs["dtypes"]
    try:
        returned = outputs_of(function(*inputs))
    except OpError:
        raise
    except Exception as error:
        raise UnknownError(
            f"the host function called for replica {replica} raised "
            f"{type(error).__name__}: {error}"
        ) from error
    if returned == (None,) and not dtypes:
        return []
    if len(returned) != len(dtypes):
        raise InvalidArgumentError(
            f"the host function called for replica {replica} returned {len(returned)} "
            f"values, Tout names {len(dtypes)} types"
        )
    return [np.asarray(v, as_dtype(t).np) for v, t in zip(returned, dtypes, strict=True)]


def _replica_id(
    instr: Instr, inputs: Sequence[Array], replica: int, run: Run
) -> list[Array]:
    return [np.asarray(replica, np.int32)]


def _dequeue(
    instr: Instr, inputs: Sequence[Array], replica: int, run: Run
) -> Sequence[Array]:
    return run.state.infeed(instr.attrs["queue"]).dequeue(replica, run.timeout)


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


def _replicate(
    instr: Instr, inputs: Sequence[Array], replica: int, run: Run
) -> list[Array]:
    return _host(run).replicate(instr, inputs, run)


def _initialize(
    instr: Instr, inputs: Sequence[Array], replica: int, run: Run
) -> list[Array]:
    topology = np.empty((), object)
    topology[()] = _host(run).initialize(instr)
    return [topology]


def _shutdown(
    instr: Instr, inputs: Sequence[Array], replica: int, run: Run
) -> list[Array]:
    _host(run).shutdown(instr)
    return []


def _host(run: Run) -> Host:
    if run.host is None:
        raise FailedPreconditionError(
            "the TPU system cannot be started, stopped or used from within a replicated "
            "computation; do it outside"
        )
    return run.host


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
    "TPUReplicate": _replicate,
    "ConfigureDistributedTPU": _initialize,
    "ShutdownDistributedTPU": _shutdown,
}
