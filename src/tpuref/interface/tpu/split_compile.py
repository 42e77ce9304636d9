"""Computations with an operation that compiles them beforehand.

tpuref checks a computation while it is built, and executors prepare it in its first
run.  The operation runs nothing: its value is the message of a successful compilation.
"""

from typing import Any

from tpuref.engine.graph.convert import constant
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.tpu.replication import replicate
from tpuref.interface.tpu.sharding import shard


def split_compile_and_replicate(
    computation: Any, *args: Any, **kwargs: Any
) -> tuple[Tensor, list[Any]]:
    """Return an operation for the compilation, and the outputs of `tf.tpu.replicate`.

    The value of the operation is a serialized ``CompilationResultProto`` without an
    error, which is empty.  Parameters are those of `tf.tpu.replicate`.
    """
    return _compilation(), replicate(computation, *args, **kwargs)


def split_compile_and_shard(
    computation: Any, *args: Any, **kwargs: Any
) -> tuple[Tensor, list[Tensor]]:
    """Return an operation for the compilation, and the outputs of `tf.tpu.shard`.

    The operation is that of `split_compile_and_replicate`.  Parameters are those of
    `tf.tpu.shard`.
    """
    return _compilation(), shard(computation, *args, **kwargs)


def _compilation() -> Tensor:
    return constant(b"", name="TPUCompile")
