"""Methods that take more than the document prints."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TypeVar

Method = TypeVar("Method", bound=Callable[..., object])


def documented(*parameters: str) -> Callable[[Method], Method]:
    """Let `inspect.signature` show the documented parameters of a method only.

    What was added to them is given by keyword and is told of in the docstring.
    """

    def shown(method: Method) -> Method:
        signature = inspect.signature(method)
        kept = [signature.parameters[name] for name in ("self", *parameters)]
        vars(method)["__signature__"] = signature.replace(parameters=kept)
        return method

    return shown
