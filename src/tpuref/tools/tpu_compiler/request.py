"""Programs as a run gives them to the cores, for the TPU compiler."""

import pickle
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from tpuref.base.errors import OpError
from tpuref.engine.ops.meaning import Array
from tpuref.engine.ops.tpu import Replication
from tpuref.engine.program import Instr, Program
from tpuref.engine.runtime.meaning.padding import padded_shape
from tpuref.engine.runtime.meaning.run import Run
from tpuref.engine.runtime.pool.host.program_facts import ProgramFacts
from tpuref.engine.runtime.xla.digest import digest


@dataclass
class Request:
    """A replicated program with the shapes of its inputs and variables.

    `site` is the user's line that built it.  `refused` says why it cannot be compiled,
    and the line, if that is known already.  It is the program of logical core `core`,
    and `assigned` if a device assignment says where its replicas run.  It ran `runs`
    times, with inputs of these `shapes`; `calls_per_step` counts the calls of
    Session.run between two of the runs.
    """

    name: str
    site: str
    program: Program
    replicas: int
    inputs: tuple[Any, ...] = ()
    variables: tuple[Any, ...] = ()
    refused: tuple[str, str] | None = None
    core: int = 0
    assigned: bool = False
    runs: int = 1
    shapes: list[str] = field(default_factory=list)
    calls_per_step: float | None = None

    def signature(self, placement: Any, valued: bool) -> Any:
        """Return the signature to compile, with small integers static if `valued`."""
        from tpuref.engine.runtime.xla.signature import Signature

        inputs = self.inputs
        if not valued:
            inputs = tuple(one._replace(known=None) for one in inputs)
        return Signature(self.program, b"", placement, inputs, self.variables, False)

    @property
    def key(self) -> str:
        """The cache key of its results."""
        rest = self.name, self.site, self.replicas, self.inputs, self.variables
        same = digest(self.program) + repr((*rest, self.core, self.refused)).encode()
        return blake2b(same, digest_size=16).hexdigest()


class Recorder:
    """Records the programs that run on cores; `observe` is an observer of runs.

    `calls` are the calls of Session.run so far, as far as somebody counts them.
    """

    def __init__(self) -> None:
        self.requests: dict[tuple[str, str], Request] = {}
        self.calls = 0
        self._first_calls: dict[str, int] = {}

    def observe(
        self, instr: Instr, values: dict[int, Sequence[Array]], run: Run
    ) -> Request:
        """Record one run of a program, and return its request."""
        request = recorded(instr, values, run)
        known = self.requests.setdefault((request.name, request.site), request)
        first = self._first_calls.setdefault(request.name, self.calls)
        if known is not request:
            known.calls_per_step = (self.calls - first) / known.runs
            known.runs += 1
        if request.shapes[0] not in known.shapes:
            known.shapes += request.shapes
        return known


def described(
    instr: Instr, values: dict[int, Sequence[Array]], valued: bool
) -> Request:
    """Return the request of a program with its inputs, but without its variables."""
    from tpuref.engine.runtime.xla.signature import describe_inputs

    program, wanted = instr.blocks[0], Replication.of(instr.attrs)
    request = Request(instr.name, str(instr.site), program, len(values))
    request.assigned = wanted.assignment is not None
    by_replica: dict[int, Any] = {replica: list(own) for replica, own in values.items()}
    for k, (name, dims) in enumerate(wanted.padding or ()):
        if dims is not None:  # a TPU computes with the padding
            shapes = [own[k].shape for own in by_replica.values()]
            padded = padded_shape(name, shapes, dims)
            for own in by_replica.values():
                own[k] = np.broadcast_to(np.zeros((), own[k].dtype), padded)
    try:
        request.inputs = describe_inputs(program, by_replica, valued, False)
    except OpError as error:
        request.refused = error.message, str(error.site or instr.site)
    return request


def recorded(instr: Instr, values: dict[int, Sequence[Array]], run: Run) -> Request:
    """Return the request of a program that is about to run."""
    from tpuref.engine.runtime.xla.executor import variables_with_value

    request = described(instr, values, True)
    names = ProgramFacts(request.program).variables
    request.variables = tuple(variables_with_value(names, run))
    shapes = [f"{one.dtype}{list(one.shape)}" for one in request.inputs]
    request.shapes = [", ".join(shapes)]
    return request


def _of_cores(request: Request) -> list[Request]:
    """Return the request of each logical core."""
    count = request.program.num_cores
    if count == 1:
        return [request]
    names = [f"{request.name}, logical core {core}" for core in range(count)]
    return [replace(request, name=n, core=core) for core, n in enumerate(names)]


def store(requests: Iterable[Request], folder: Path) -> list[dict[str, Any]]:
    """Write programs into a folder; return their descriptions as plain data."""
    index = []
    each = [one for request in requests for one in _of_cores(request)]
    for number, request in enumerate(each):
        file = folder / f"program-{number}.pickle"
        file.write_bytes(pickle.dumps(request))
        index.append(
            {
                **{name: getattr(request, name) for name in ("name", "site", "runs")},
                **{name: getattr(request, name) for name in ("replicas", "shapes")},
                "logical": request.program.num_cores,
                "assigned": request.assigned,
                "calls_per_step": request.calls_per_step,
                "key": request.key,
                "file": str(file),
            }
        )
    return index
