"""The page of tf.contrib.distribute.TPUStrategy, and what its checks begin with."""

import contextlib
import inspect

from ..clause import same
from ..probes import eager_mode, fixed_system, sized
from .cloud_stand_ins import hosts, reachable
from .page import Page, about

page = Page("tf.contrib.distribute.TPUStrategy")


def local_strategy(tf, **arguments):
    """Return a strategy over the cores of this computer."""
    resolver = tf.contrib.cluster_resolver.TPUClusterResolver(tpu="local")
    settings = dict({"steps_per_run": 2}, **arguments)
    return tf.contrib.distribute.TPUStrategy(resolver, **settings)


@contextlib.contextmanager
def size(tf, cores):
    """Let a local system have that many cores.

    A release without a TPU has none of its own; there the local master lists them.
    """
    settable = hasattr(tf, "judged_module") or hasattr(
        getattr(tf, "config", None), "override"
    )
    with sized(tf, cores=cores) if settable else reachable(tf, hosts(cores)):
        yield


@contextlib.contextmanager
def strategy_in_scope(tf, cores=4, **arguments):
    """Yield a strategy on that many cores, inside of its scope; nothing is run."""
    with size(tf, cores):
        strategy = local_strategy(tf, **arguments)
        with strategy.scope():
            yield strategy


@contextlib.contextmanager
def running_strategy(tf, cores=4, **arguments):
    """Yield a session and a strategy in scope, on an initialised system."""
    with fixed_system(tf, cores=cores) as session:
        strategy = local_strategy(tf, **arguments)
        with strategy.scope():
            yield session, strategy


@contextlib.contextmanager
def eager_strategy(tf, cores=2):
    """Yield a strategy in scope, in eager mode, on an initialised system."""
    with size(tf, cores), eager_mode(tf):
        strategy = local_strategy(tf)
        strategy.initialize()
        try:
            with strategy.scope():
                yield strategy
        finally:
            strategy.finalize()


def has_eager_mode(tf):
    """Return whether a block of a graph program may be in eager mode."""
    return hasattr(tf, "eager_execution")


def per_tower(tf, strategy, values):
    """Return a per-device value with ``values[i]`` as the tensor of tower i."""
    return strategy.call_for_each_tower(lambda: own(tf, values))


def own(tf, values):
    """Return the entry of ``values`` for the current tower, as a tensor."""
    return tf.constant(values[tower_context(tf).tower_id])


def tower_context(tf):
    """Return what tf.get_tower_context gives, by the path that the release has it at.

    The page's own path is the matter of one clause and of no other.
    """
    if hasattr(tf, "get_tower_context"):
        return tf.get_tower_context()
    return tf.contrib.distribute.get_tower_context()


def variable(tf, name="v", value=0.0, **settings):
    """Return a new variable of that value."""
    return tf.get_variable(name, initializer=value, **settings)


def local_variable(tf, name, aggregation, value=0.0):
    """Return a new variable that each tower keeps for itself."""
    on_read = tf.VariableSynchronization.ON_READ
    settings = {"synchronization": on_read, "aggregation": aggregation}
    return variable(tf, name, value, **settings)


def on_device(tf, name):
    """Return a context manager for the device; any device will do without tf.device."""
    return tf.device(name) if hasattr(tf, "device") else contextlib.ExitStack()


def tensor_type(tf):
    """Return the class of tensors, whether or not it has a public name."""
    return getattr(tf, "Tensor", None) or type(tf.constant(0.0))


def error_type(tf, name):
    """Return an exception that releases document, or any where a module has no such."""
    return getattr(getattr(tf, "errors", None), name, Exception)


def evaluated(session, strategy, value):
    """Return the values of all components of ``value``, in device order."""
    return session.run(list(strategy.unwrap(value)))


def numbers(strategy, value):
    """Return the components of a ``value`` of eager mode as numbers."""
    return [float(part.numpy()) for part in strategy.unwrap(value)]


def require_devices(strategy, value, devices):
    """Require the components of ``value`` to be on ``devices``, in order."""
    same(
        [part.device for part in strategy.unwrap(value)], list(devices), call="devices"
    )


def parameters(method):
    """Return (name, default, kind) of a method's parameters, without self.

    The default is ``inspect.Parameter.empty`` where there is none; the kind is ``""``,
    ``"*"`` or ``"**"``.
    """
    kinds = {
        inspect.Parameter.POSITIONAL_OR_KEYWORD: "",
        inspect.Parameter.VAR_POSITIONAL: "*",
        inspect.Parameter.VAR_KEYWORD: "**",
    }
    declared = []
    for one in list(inspect.signature(method).parameters.values())[1:]:
        declared.append((one.name, one.default, kinds.get(one.kind, str(one.kind))))
    return declared


def required(*names):
    """Return what `parameters` gives for parameters without a default."""
    return [(name, inspect.Parameter.empty, "") for name in names]


#: The parameters of methods, as a signature has them.
_SIGNATURES = """
batch_reduce: aggregation, value_destination_pairs
broadcast: tensor, destinations=None
call_for_each_tower: fn, *args, **kwargs
colocate_vars_with: colocate_with_variable
configure: session_config=None, cluster_spec=None, task_type=None, task_id=None
distribute_dataset: dataset_fn
finalize:
get_host_cpu_device: host_id
group: value, name=None
initialize:
map: map_over, fn, *args, **kwargs
non_slot_devices: var_list
read_var: tower_local_var
reduce: aggregation, value, destinations
scope:
unwrap: value
update: var, fn, *args, **kwargs
update_non_slot: colocate_with, fn, *args, **kwargs
value_container: value
"""


def parameters_are(tf, method, text):
    """Require these parameters; every default is None."""
    expected = []
    for one in text.split(", ") if text else []:
        name, _, default = one.lstrip("*").partition("=")
        default = None if default else inspect.Parameter.empty
        expected.append((name, default, "*" * one.count("*")))
    same(parameters(method), expected)


for _line in _SIGNATURES.strip().splitlines():
    _method, _, _text = _line.partition(":")
    _rest = "parameters" if _text else "no-parameters"
    page.clause(f".{_method}/signature/{_rest}")(
        about(parameters_are, f"tf.contrib.distribute.TPUStrategy.{_method}", _text[1:])
    )
