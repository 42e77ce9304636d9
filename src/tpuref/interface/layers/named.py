"""Activations and initializers by name."""

from typing import Any

from tpuref.base import error_codes as codes
from tpuref.interface.functions import activations, initializers, trigonometry

_ACTIVATIONS = {
    "crelu": activations.crelu,
    "elu": activations.elu,
    "leaky_relu": activations.leaky_relu,
    "log_softmax": activations.log_softmax,
    "relu": activations.relu,
    "relu6": activations.relu6,
    "selu": activations.selu,
    "sigmoid": activations.sigmoid,
    "silu": activations.silu,
    "softmax": activations.softmax,
    "softplus": activations.softplus,
    "softsign": activations.softsign,
    "swish": activations.swish,
    "tanh": trigonometry.tanh,
    "linear": None,
}

_INITIALIZERS: dict[str, Any] = {
    "zeros": initializers.Zeros,
    "ones": initializers.Ones,
    "constant": initializers.Constant,
    "random_normal": initializers.RandomNormal,
    "random_uniform": initializers.RandomUniform,
    "truncated_normal": initializers.TruncatedNormal,
    "variance_scaling": initializers.VarianceScaling,
    "glorot_normal": initializers.GlorotNormal,
    "glorot_uniform": initializers.GlorotUniform,
    "he_normal": initializers.he_normal,
    "he_uniform": initializers.he_uniform,
    "lecun_normal": initializers.lecun_normal,
    "lecun_uniform": initializers.lecun_uniform,
    "orthogonal": initializers.Orthogonal,
    "identity": initializers.Identity,
}


def activation_of(activation: Any) -> Any:
    """Return an activation function, which may be given by name; None for none."""
    return _of_name("activation", activation, _ACTIVATIONS)


def initializer_of(named: Any) -> Any:
    """Return an initializer, which may be given by name; None for the default."""
    initializer = _of_name("initializer", named, _INITIALIZERS)
    return initializer() if isinstance(named, str) else initializer


def _of_name(kind: str, value: Any, known: dict[str, Any]) -> Any:
    if not isinstance(value, str):
        return value
    if value not in known:
        raise codes.WRONG_ARGUMENT_TYPE.value_error(
            f"tf.layers: there is no {kind} named {value!r}; expected a function or "
            f"one of {', '.join(sorted(known))}"
        )
    return known[value]
