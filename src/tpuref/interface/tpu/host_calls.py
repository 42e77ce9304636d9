"""Build parts of a replicated computation that run on the host."""

from collections.abc import Callable
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.errors import coded
from tpuref.engine.graph.default import get_default_graph


def outside_compilation(
    computation: Callable[..., Any], *args: Any, **kwargs: Any
) -> Any:
    """Build a part of a replicated computation that runs on the host.

    See 000_04abb9e9288042d8.txt, outside_compilation.  Return the result of
    `computation`; the cores can use its tensors.  Nested in another one, it raises
    NotImplementedError.  The part runs once per replica, in program order within the
    replica.  Outside a replicated computation, `computation` is simply called.

    Examples
    --------
    >>> def computation(x):
    ...     return tf.tpu.outside_compilation(lambda a: a + 1.0, x) * 2.0
    >>> with tf.Session() as sess:
    ...     [float(y) for y in sess.run(tf.tpu.rewrite(computation, [3.0]))]
    [8.0]
    """
    if not callable(computation):
        raise codes.WRONG_ARGUMENT_TYPE.type_error(
            "tf.tpu.outside_compilation: computation must be callable, got "
            f"{computation!r}"
        )
    graph = get_default_graph()
    replicated = None if graph.region is None else graph.region.replicated
    if replicated is None:
        return computation(*args, **kwargs)
    if graph.host_label is not None:
        raise coded(
            NotImplementedError,
            "tf.tpu.outside_compilation cannot be nested; call it once around the "
            "whole host part",
            code=codes.NESTED_COMPUTATION,
        )
    label = str(replicated.host_calls)
    replicated.host_calls += 1
    with graph.on_host(label):
        return computation(*args, **kwargs)


outside_compilation_dyn = outside_compilation
