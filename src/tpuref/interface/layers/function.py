"""Functions that make a layer and call it at once."""

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.layers.layer import Layer


def function_of(
    layer: type[Layer],
    name: str,
    example: str,
    has_variables: bool = True,
    last: Sequence[str] = (),
) -> Callable[..., Tensor]:
    """Return a function that creates a layer and applies it to ``inputs``.

    `last` names the last parameters, if their order is not that of the layer; if
    ``training`` is one of them, the layer is called with it.
    """
    own = inspect.signature(layer).parameters.values()
    known = {p.name: p for p in own if p.kind is not p.VAR_KEYWORD}
    if "training" in last:
        known["training"] = _parameter("training", False)
    if has_variables:
        known["reuse"] = _parameter("reuse", None)
    order = [*(each for each in known if each not in last), *last]
    inputs = _parameter("inputs", inspect.Parameter.empty)
    signature = inspect.Signature(
        [inputs, *(known[each] for each in order)], return_annotation=Tensor
    )

    def function(*args: Any, **kwargs: Any) -> Any:
        given = signature.bind(*args, **kwargs).arguments
        inputs, reuse = given.pop("inputs"), given.pop("reuse", None)
        call = {"training": given.pop("training", False)} if "training" in last else {}
        scope = {"_scope": given.get("name"), "_reuse": reuse} if has_variables else {}
        return layer(**given, **scope)(inputs, **call)

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


def _parameter(name: str, default: Any) -> inspect.Parameter:
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    return inspect.Parameter(name, kind, default=default)
