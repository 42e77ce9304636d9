"""Hyperparameters with the types of their first values: ``tf.contrib.training``."""

from __future__ import annotations

import json
import numbers
import re
from typing import Any

from tpuref.base import error_codes as codes

_SETTING = re.compile(
    r"(?P<name>\w+)\s*=\s*"
    r"(\[(?P<several>[^\]]*)\]|(?P<one>[^,\[]*))\s*($|,\s*)"
)


def _error(message: str) -> Exception:
    return codes.WRONG_ARGUMENT_TYPE.value_error(
        f"tf.contrib.training.HParams: {message}"
    )


class HParams:
    """Named hyperparameters, read as attributes.

    Each keeps the type of its first value: a number, a bool, a string, or a list of one
    of these.  A value that does not fit the type raises ValueError, and so does a name
    that is taken or unknown.  `hparam_def` and `model_structure` must be None.
    `**kwargs` are the hyperparameters.

    Examples
    --------
    >>> sizes = tf.contrib.training.HParams(rate=0.1, units=[8, 4])
    >>> sizes.parse("rate=0.5,units=[2]").values()
    {'rate': 0.5, 'units': [2]}
    """

    def __init__(
        self, hparam_def: Any = None, model_structure: Any = None, **kwargs: Any
    ) -> None:
        if hparam_def is not None or model_structure is not None:
            raise _error("hparam_def and model_structure must be None")
        self._types: dict[str, tuple[type, bool]] = {}
        for name, value in kwargs.items():
            self.add_hparam(name, value)

    def add_hparam(self, name: str, value: Any) -> None:
        """Add a hyperparameter."""
        if getattr(self, name, None) is not None:
            raise _error(f"the name {name!r} is taken")
        several = isinstance(value, (list, tuple))
        if several and not value:
            raise _error(f"{name}: a list needs an element, which tells its type")
        self._types[name] = (type(value[0] if several else value), several)
        setattr(self, name, list(value) if several else value)

    def set_hparam(self, name: str, value: Any) -> None:
        """Set a hyperparameter that is there."""
        kind, several = self._type_of(name)
        if isinstance(value, (list, tuple)) != several:
            form = "a list" if several else "one value"
            raise _error(f"{name}: expected {form}, got {value!r}")
        setattr(
            self,
            name,
            [_fitting(name, kind, one) for one in value]
            if several
            else _fitting(name, kind, value),
        )

    def del_hparam(self, name: str) -> None:
        """Remove a hyperparameter, if it is there."""
        if self._types.pop(name, None) is not None:
            delattr(self, name)

    def _type_of(self, name: str) -> tuple[type, bool]:
        if name not in self._types:
            raise _error(
                f"there is no hyperparameter {name!r}, but {', '.join(self._types)}"
            )
        return self._types[name]

    def get(self, key: str, default: Any = None) -> Any:
        """Return a hyperparameter, or a default of its type where it is not there."""
        if key not in self._types:
            return default
        kind, several = self._types[key]
        if default is not None:
            if isinstance(default, list) != several:
                raise _error(f"{key}: the default {default!r} is of another type")
            for one in default if several else [default]:
                _fitting(key, kind, one)
        return getattr(self, key)

    def values(self) -> dict[str, Any]:
        """Return the hyperparameters by name."""
        return {name: getattr(self, name) for name in self._types}

    def override_from_dict(self, values_dict: dict[str, Any]) -> HParams:
        """Set hyperparameters, and return them all."""
        for name, value in values_dict.items():
            self.set_hparam(name, value)
        return self

    def parse(self, values: str) -> HParams:
        """Set hyperparameters from ``"a=1,b=[1,2]"``, and return them all."""
        at = 0
        while at < len(values):
            setting = _SETTING.match(values, at)
            if setting is None:
                raise _error(f"parse: expected name=value, got {values[at:]!r}")
            self.set_hparam(setting["name"], self._from_text(**setting.groupdict()))
            at = setting.end()
        return self

    def _from_text(self, name: str, several: str | None, one: str | None) -> Any:
        kind, _ = self._type_of(name)
        if several is None:
            return _read(name, kind, (one or "").strip())
        words = re.split(r"[ ,]+", several.strip())
        return [_read(name, kind, word) for word in words if word]

    def parse_json(self, values_json: str) -> HParams:
        """Set hyperparameters from a JSON object, and return them all."""
        return self.override_from_dict(json.loads(values_json))

    def to_json(
        self, indent: Any = None, separators: Any = None, sort_keys: bool = False
    ) -> str:
        """Return a JSON object; functions are left out."""
        plain = {k: v for k, v in self.values().items() if not callable(v)}
        return json.dumps(
            plain, indent=indent, separators=separators, sort_keys=sort_keys
        )

    def __contains__(self, key: str) -> bool:
        return key in self._types

    def __repr__(self) -> str:
        return f"HParams({sorted(self.values().items())})"


def _read(name: str, kind: type, text: str) -> Any:
    """Return the value of a text."""
    try:
        if kind is bool:
            known = {"true": True, "false": False}
            return known[text.lower()] if text.lower() in known else bool(int(text))
        return kind(text)
    except (TypeError, ValueError):
        raise _error(f"{name}: expected {kind.__name__}, got {text!r}") from None


def _fitting(name: str, kind: type, value: Any) -> Any:
    """Return a value in the type of a hyperparameter."""
    if issubclass(kind, type(None)) or value is None:
        return value
    whole = issubclass(kind, numbers.Integral)
    wrong = (
        issubclass(kind, (str, bytes)) != isinstance(value, (str, bytes))
        or issubclass(kind, bool) != isinstance(value, bool)
        or (whole and not isinstance(value, numbers.Integral))
        or (issubclass(kind, numbers.Number) and not isinstance(value, numbers.Number))
    )
    if wrong:
        raise _error(f"{name}: expected {kind.__name__}, got {value!r}")
    return kind(value) if issubclass(kind, (int, float, complex, str)) else value
