"""Call the functions that a user passes to an estimator, and check their results."""

import functools
from collections.abc import Callable, Sequence
from inspect import Parameter, signature
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base import nest
from tpuref.base.arguments import wrong_type
from tpuref.base.errors import coded
from tpuref.engine.graph.default import get_default_graph
from tpuref.engine.graph.graph import GraphKeys
from tpuref.interface.data.dataset import Dataset

_MODEL_ARGUMENTS = ("features", "labels", "mode", "params", "self", "config")


def parameters_of(function: Callable[..., Any]) -> list[str]:
    """Return the parameter names of a function, except those that a partial binds."""
    bound = function.keywords if isinstance(function, functools.partial) else {}
    return [name for name in signature(function).parameters if name not in bound]


def check_model_fn(model_fn: Any, params: Any) -> None:
    """Raise an error for a model function with other parameters than documented."""
    if not callable(model_fn):
        raise wrong_type("tf.estimator.Estimator: model_fn", "a function", model_fn)
    names = parameters_of(model_fn)
    if "features" not in names:
        raise _model_fn_error(model_fn, names, "must take features")
    if params is not None and "params" not in names:
        raise _model_fn_error(model_fn, names, "must take params, since params= is set")
    unknown = [name for name in names if name not in _MODEL_ARGUMENTS]
    kinds = signature(model_fn).parameters
    if any(kinds[name].kind is not Parameter.VAR_KEYWORD for name in unknown):
        raise _model_fn_error(model_fn, names, f"has unexpected parameters {unknown}")


def _model_fn_error(model_fn: Any, names: Sequence[str], why: str) -> Exception:
    name = getattr(model_fn, "__name__", model_fn)
    return codes.INVALID_MODEL_FUNCTION.value_error(
        f"model_fn {name}({', '.join(names)}) {why}; "
        "write def model_fn(features, labels, mode, params)"
    )


def call_input_fn(input_fn: Any, mode: str, params: Any, config: Any) -> Any:
    """Call an input function with those of mode, params and config that it takes."""
    if not callable(input_fn):
        raise wrong_type("tf.estimator: input_fn", "a function", input_fn)
    names = parameters_of(input_fn)
    known = {"mode": mode, "params": params, "config": config}
    arguments = {name: value for name, value in known.items() if name in names}
    if "params" in names and params is None:
        del arguments["params"]
    return input_fn(**arguments)


def features_and_labels(result: Any) -> tuple[Any, Any]:
    """Return the features and labels of an input function's result.

    The result is features, a pair of features and labels, or a dataset of either.
    """
    if isinstance(result, Dataset):
        result = iterator_of(result).get_next()
    if isinstance(result, (list, tuple)) and not hasattr(result, "_fields"):
        if len(result) != 2:
            raise invalid_input(
                "input_fn should return (features, labels) as a tuple of two, got "
                f"{len(result)} elements: {result!r}"
            )
        return result[0], result[1]
    if not [leaf for leaf in nest.flatten(result) if leaf is not None]:
        raise invalid_input(
            "input_fn returned no features; return features, (features, labels) or a "
            "tf.data.Dataset of them"
        )
    return result, None


def iterator_of(dataset: Dataset) -> Any:
    """Return an iterator that the session's preparation initializes."""
    iterator = dataset.make_initializable_iterator()
    key = GraphKeys.TABLE_INITIALIZERS
    get_default_graph().add_to_collection(key, iterator.initializer)
    return iterator


def invalid_input(why: str, kind: type[Exception] = ValueError) -> Exception:
    """Return an error for the result of an input function."""
    return coded(kind, f"tf.estimator: {why}", code=codes.INVALID_MODEL_FUNCTION)
