"""Functions that make a layer and call it at once."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.layers.layer import Layer


def function_of(layer: type[Layer], name: str, example: str) -> Callable[..., Tensor]:
    """Return a function that creates a layer and applies it to ``inputs``."""
    own = inspect.signature(layer)
    parameters = [
        inspect.Parameter("inputs", inspect.Parameter.POSITIONAL_OR_KEYWORD),
        *(p for p in own.parameters.values() if p.kind is not p.VAR_KEYWORD),
        inspect.Parameter(
            "reuse", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None
        ),
    ]
    signature = inspect.Signature(parameters, return_annotation=Tensor)

    def function(*args: Any, **kwargs: Any) -> Any:
        given = signature.bind(*args, **kwargs).arguments
        inputs, reuse = given.pop("inputs"), given.pop("reuse", None)
        return layer(**given, _scope=given.get("name"), _reuse=reuse)(inputs)

    function.__name__ = function.__qualname__ = name
    function.__module__ = layer.__module__
    function.__signature__ = signature  # type: ignore[attr-defined]
    function.__doc__ = f"""Apply a new `tf.layers.{layer.__name__}` to a tensor.

    Parameters
    ----------
    inputs
        The tensor.
    {", ".join(list(own.parameters)[:-1])}
        As for `tf.layers.{layer.__name__}`.
    reuse
        Whether to share the variables that the scope `name` has.

    Returns
    -------
    Tensor
        The output of the layer.

    Raises
    ------
    ValueError
        If the arguments do not fit the tensor, or a variable of that name exists and
        is not shared.

    Examples
    --------
    {example}
    """
    return function
