"""Checks of tf.tpu.outside_compilation and tf.tpu.outside_compilation_dyn."""

import contextlib
import inspect
import os

from ..clause import beyond_the_words, clause, same
from ..probes import fixed_system, traced
from .tf_tpu_page import function_clause


def in_one_replica(tf, computation, *inputs):
    """Return what ``computation(*inputs)`` gives in a replica."""
    with fixed_system(tf, cores=1) as session:
        return session.run(tf.tpu.replicate(computation, [list(inputs)])[0])


@function_clause("tf.tpu.outside_compilation/signature/computation-args-kwargs")
def computation_args_kwargs(tf, outside_compilation):
    parameters = list(inspect.signature(outside_compilation).parameters.values())
    same(
        [parameter.kind for parameter in parameters],
        [
            inspect.Parameter.POSITIONAL_OR_KEYWORD,
            inspect.Parameter.VAR_POSITIONAL,
            inspect.Parameter.VAR_KEYWORD,
        ],
    )
    same(parameters[0].name, "computation")
    assert parameters[0].default is inspect.Parameter.empty


@function_clause("tf.tpu.outside_compilation/behaviour/leaves-replicate-scope")
def leaves_replicate_scope(tf, outside_compilation):
    devices = {}

    def host_part(x):
        y = x + 1.0
        devices["host part"] = y.op.device
        return y

    def computation(x):
        with tf.device(tf.tpu.core(0)):
            y = x * 2.0
            devices["neighbour"] = y.op.device
            return outside_compilation(host_part, y)

    tf.tpu.replicate(computation, [[1.0], [2.0]])
    assert "TPU_REPLICATED_CORE" in devices["neighbour"], devices
    assert "TPU_REPLICATED_CORE" not in devices["host part"], devices


@function_clause("tf.tpu.outside_compilation/behaviour/runs-on-host")
def runs_on_host(tf, outside_compilation):
    processes = []

    def record_process(x):
        processes.append(os.getpid())
        return x

    def host_part(x):
        return tf.py_func(record_process, [x], tf.float32)

    def failing(x):
        raise KeyError(x)

    def computation(x):
        with contextlib.suppress(KeyError):
            outside_compilation(failing, x)
        recorded = outside_compilation(host_part, x)
        on_host = outside_compilation(lambda v: tf.add(v, 1.0, name="on_host"), x)
        return recorded, on_host, tf.add(x, 1.0, name="on_core")

    with fixed_system(tf, cores=2) as session:
        _, trace = traced(tf, session, tf.tpu.replicate(computation, [[1.0], [2.0]]))
    same(processes, [os.getpid()] * 2)
    operations = [record.operation for record in trace]
    same([name for name in operations if name.endswith("on_host")], [])
    same(len([name for name in operations if name.endswith("on_core")]), 2)


@function_clause("tf.tpu.outside_compilation/args:computation/python-function")
def python_function(tf, outside_compilation):
    received = []

    def host_part(*arguments, **keywords):
        received.append((arguments, keywords))
        return arguments[0]

    x = tf.constant(1.0)
    outside_compilation(host_part, x, 5, key="value")
    ((arguments, keywords),) = received
    assert arguments[0] is x
    same(arguments[1:], (5,))
    same(keywords, {"key": "value"})
    del received[:]
    marker = object()
    out = tf.tpu.replicate(
        lambda y: outside_compilation(host_part, y, 5, None, key=marker, none=None),
        [[1.0], [2.0], [3.0]],
    )
    same(len(out), 3)
    ((arguments, keywords),) = received
    assert isinstance(arguments[0], tf.Tensor), repr(arguments)
    same(arguments[1:], (5, None))
    assert keywords["key"] is marker and keywords["none"] is None, repr(keywords)


@function_clause("tf.tpu.outside_compilation/args:args/forwarded-in-order")
def args_forwarded_in_order(tf, outside_compilation):
    def computation(x, y):
        return outside_compilation(lambda a, b: a - b, x, y)

    same(in_one_replica(tf, computation, 5.0, 3.0), [2.0])

    def twice(x, y):
        first = outside_compilation(lambda a, b, c: a - b * c, x, y, 10.0)
        return first, outside_compilation(lambda a, b: a - b, first, y)

    same(in_one_replica(tf, twice, 5.0, 3.0), [-25.0, -28.0])


@function_clause("tf.tpu.outside_compilation/args:kwargs/forwarded-by-name")
def kwargs_forwarded_by_name(tf, outside_compilation):
    def computation(x):
        return outside_compilation(
            lambda a, scale, less: a * scale - less, x, less=1.0, scale=3.0
        )

    same(in_one_replica(tf, computation, 2.0), [5.0])


@function_clause("tf.tpu.outside_compilation/args:kwargs/optional")
def kwargs_optional(tf, outside_compilation):
    def computation(x):
        return outside_compilation(lambda a: a + 1.0, x)

    same(in_one_replica(tf, computation, 2.0), [3.0])


@function_clause("tf.tpu.outside_compilation/returns/tensors-of-computation")
def returns_tensors_of_computation(tf, outside_compilation):
    def computation(x):
        y = outside_compilation(lambda a: a + 1.0, x)
        assert isinstance(y, tf.Tensor)
        return y * 2.0

    same(in_one_replica(tf, computation, 2.0), [6.0])

    def with_nest_and_keyword(x, y):
        return outside_compilation(lambda a, n, k: a + n[0] * k, x, [y], k=y) + 1.0

    with fixed_system(tf, cores=3) as session:
        inputs = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
        out = tf.tpu.replicate(with_nest_and_keyword, inputs)
        same(session.run(out), [[6.0], [20.0], [42.0]], call="in three replicas")
        out = tf.tpu.rewrite(with_nest_and_keyword, inputs[1])
        same(session.run(out), [20.0], call="in a rewritten computation")


@function_clause("tf.tpu.outside_compilation/returns/structure-kept")
def returns_structure_kept(tf, outside_compilation):
    returned = []

    def computation(x):
        nest = outside_compilation(lambda a: (a, {"k": a + 1.0}, "text", None), x)
        returned.append(nest)
        return nest[0] + nest[1]["k"]

    same(in_one_replica(tf, computation, 2.0), [5.0])
    (nest,) = returned
    assert isinstance(nest, tuple) and isinstance(nest[1], dict), repr(nest)
    assert isinstance(nest[0], tf.Tensor) and isinstance(nest[1]["k"], tf.Tensor)

    def keys_returned(x):
        nest = outside_compilation(lambda a: {"b": a, "a": [a + 1.0]}, x)
        assert isinstance(nest, dict) and isinstance(nest["a"], list), repr(nest)
        return nest["b"] - nest["a"][0] * 10.0

    same(in_one_replica(tf, keys_returned, 2.0), [-28.0])

    def one_returned(x):
        entries = [outside_compilation(lambda a, k=k: k([a]), x) for k in (list, tuple)]
        same([type(one) for one in entries], [list, tuple])
        return entries[0][0] + entries[1][0]

    same(in_one_replica(tf, one_returned, 2.0), [4.0])
    beyond_the_words()
    same(nest[2:], ("text", None))


@function_clause("tf.tpu.outside_compilation/behaviour/without-replicate-scope")
def without_replicate_scope(tf, outside_compilation):
    out = outside_compilation(lambda a, k: a + k, tf.constant(2.0), k=1.0)
    assert isinstance(out, tf.Tensor)
    with tf.Session() as session:
        same(session.run(out), 3.0)


@clause("tf.tpu.outside_compilation_dyn/signature/computation-args-kwargs")
def dyn_computation_args_kwargs(tf):
    plain = inspect.signature(tf.tpu.outside_compilation)
    same(str(inspect.signature(tf.tpu.outside_compilation_dyn)), str(plain))
    computation_args_kwargs(tf, tf.tpu.outside_compilation_dyn)


@clause("tf.tpu.outside_compilation_dyn/behaviour/args-overload")
def dyn_args(tf):
    args_forwarded_in_order(tf, tf.tpu.outside_compilation_dyn)


@clause("tf.tpu.outside_compilation_dyn/behaviour/kwargs-overload")
def dyn_kwargs(tf):
    kwargs_forwarded_by_name(tf, tf.tpu.outside_compilation_dyn)


@clause("tf.tpu.outside_compilation/behaviour/parts-are-numbered")
def parts_are_numbered(tf):
    numbers = []

    def computation():
        for _ in range(3):
            part = tf.tpu.outside_compilation(lambda: tf.constant(1.0))
            number = part.op.get_attr("_xla_outside_compilation")
            numbers.append(number.decode() if isinstance(number, bytes) else number)
        return part

    tf.tpu.replicate(computation)
    tf.tpu.replicate(computation)
    same(numbers, ["0", "1", "2", "0", "1", "2"])
