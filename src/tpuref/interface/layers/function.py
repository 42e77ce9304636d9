"""Functions that make a layer and call it at once."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.layers.layer import Layer


def function_of(
    layer: type[Layer], name: str, example: str, has_variables: bool = True
) -> Callable[..., Tensor]:
    """Return a function that creates a layer and applies it to ``inputs``."""
    own = inspect.signature(layer)
    parameters = [
        inspect.Parameter("inputs", inspect.Parameter.POSITIONAL_OR_KEYWORD),
        *(p for p in own.parameters.values() if p.kind is not p.VAR_KEYWORD),
    ]
    if has_variables:
        reuse = inspect.Parameter(
            "reuse", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None
        )
        parameters.append(reuse)
    signature = inspect.Signature(parameters, return_annotation=Tensor)

    def function(*args: Any, **kwargs: Any) -> Any:
        given = signature.bind(*args, **kwargs).arguments
        inputs, reuse = given.pop("inputs"), given.pop("reuse", None)
        scope = {"_scope": given.get("name"), "_reuse": reuse} if has_variables else {}
        return layer(**given, **scope)(inputs)

    function.__name__ = function.__qualname__ = name
    function.__module__ = layer.__module__
    function.__signature__ = signature  # type: ignore[attr-defined]
    shared = "  With `reuse` it shares\n    the variables of the scope `name`."
    function.__doc__ = f"""Apply a new `tf.layers.{layer.__name__}` to `inputs`.

    Other parameters and errors are those of the class.{shared if has_variables else ""}

    Examples
    --------
    {example}
    """
    return function
