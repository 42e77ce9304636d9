"""Reports of computations in a graph, without running them."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base import nest
from tpuref.base.errors import coded
from tpuref.engine.graph.lowering import lower, needed_operations
from tpuref.engine.graph.tensor import Operation, Tensor
from tpuref.engine.ops.meaning import Array
from tpuref.engine.ops.state import IS_INITIALIZED
from tpuref.engine.ops.tpu import REPLICATE, Replication
from tpuref.engine.program import Program
from tpuref.engine.runtime.pool.host.program_facts import ProgramFacts
from tpuref.engine.runtime.replication import divided
from tpuref.tools.tpu_compiler.jobs import judge, require_compiler
from tpuref.tools.tpu_compiler.request import Request, described
from tpuref.tools.tpu_compiler.targets import targets_of
from tpuref.tools.tpu_compiler.text import as_text, succeeded


class Report(dict[str, Any]):
    """What the TPU compiler says of some programs, as ``tpuref compile --json`` does.

    `succeeded` says whether all programs compile and fit.
    """

    @property
    def succeeded(self) -> bool:
        """Whether all programs compile and fit."""
        return succeeded(self)

    def __str__(self) -> str:
        return as_text(self)


def compiled_for(outputs: Any, target: str) -> Report:
    """Compile the computations that some outputs depend on, for TPUs that are not here.

    Nothing runs.  TensorFlow does not have this function.  `outputs` are tensors and
    operations: the outputs of `tf.tpu.replicate`, `tf.tpu.shard` or `tf.tpu.rewrite`,
    or tensors computed from them.  `target` is a TPU such as ``"v3-8"``, or several
    with commas between.  The result is a dict as ``tpuref compile --json`` writes it,
    with the text as its ``str``.  It raises ImportError if the TPU compiler, the
    package libtpu, is not installed; and ValueError if there is no such target, no
    replicated computation, or an input whose shape is not known.

    Examples
    --------
    >>> x = tf.ones([8, 128])
    >>> outputs = tf.tpu.shard(tf.reduce_sum, [x], num_shards=8)
    >>> report = tf.compiled_for(outputs, "v3-8")  # doctest: +SKIP
    >>> report.succeeded  # doctest: +SKIP
    True
    """
    targets = targets_of(target)
    leaves = [leaf for leaf in nest.flatten(outputs) if leaf is not None]
    tensors = [leaf for leaf in leaves if isinstance(leaf, Tensor)]
    operations = [leaf for leaf in leaves if isinstance(leaf, Operation)]
    needed = needed_operations(tensors, operations, set())
    replicated = sorted(
        (op for op in needed if op.definition is REPLICATE), key=lambda op: op.index
    )
    if not replicated:
        raise coded(
            ValueError,
            "tpuref.compiled_for: outputs must depend on a replicated computation, got "
            f"{outputs!r}; build one with tf.tpu.replicate, shard or rewrite",
            code=codes.INVALID_ARGUMENT,
        )
    require_compiler()
    return Report(judge([_request(op) for op in replicated], targets))


def _request(operation: Operation) -> Request:
    """Return the request of a computation, from the shapes in the graph."""
    program = lower((), [operation], list(operation.captured_inputs()))
    instr = next(i for i in program.instrs if i.name == operation.name)
    own, captured = divided(
        Replication.of(instr.attrs), _inputs(operation.captured_inputs())
    )
    values: dict[int, Sequence[Array]] = {
        replica: arrays + captured for replica, arrays in enumerate(own)
    }
    request = described(instr, values, False)
    request.runs = 0
    request.variables = tuple(_variables(request.program, operation))
    return request


def _inputs(tensors: Sequence[Tensor]) -> list[Array]:
    """Return an array of the shape of each input, the same for the same tensor."""
    arrays: dict[Tensor, Array] = {}
    for tensor in tensors:
        if not tensor.shape.is_fully_defined():
            raise coded(
                ValueError,
                f"tpuref.compiled_for: the input {tensor.name!r} must have a known "
                f"shape, got {tensor.shape}; use set_shape, or run the script with "
                "tpuref compile",
                code=codes.UNKNOWN_SHAPE,
            )
        arrays[tensor] = np.broadcast_to(
            np.zeros((), tensor.dtype.np), [int(n or 0) for n in tensor.shape.as_list()]
        )
    return [arrays[tensor] for tensor in tensors]


def _variables(program: Program, operation: Operation) -> list[Any]:
    """Return the variables of a program, which the graph knows by their handles."""
    from tpuref.engine.runtime.xla.signature import Held

    used = set(ProgramFacts(program).variables)
    held = {}
    for op in operation.graph.get_operations():
        handle = op.attrs.get("handle")
        if handle in used and op.outputs and op.definition is not IS_INITIALIZED:
            spec = op.outputs[0].spec
            if spec.shape.is_fully_defined():
                held[handle] = Held(
                    handle, tuple(n or 0 for n in spec.shape.as_list()), spec.dtype.np
                )
    return list(held.values())
