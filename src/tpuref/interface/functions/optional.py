"""A value that may be absent: ``tf.experimental.Optional``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base import nest
from tpuref.base.errors import InvalidArgumentError
from tpuref.base.shapes import TensorShape
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.tensor import Tensor
from tpuref.engine.tracing.arguments import leaves_of
from tpuref.interface.functions.tensor_kinds import get_static_value

_NOTHING: Any = object()


class Optional:
    """An element, or nothing; `from_value` and `empty` create one.

    `value` is the element, a structure of tensors; anything for an empty one.
    `present` is a scalar bool tensor.  `element_spec` are the specs of the element.

    Examples
    --------
    >>> with tf.eager_execution():
    ...     some = tf.experimental.Optional.from_value(tf.constant(3))
    ...     bool(some.has_value()), int(some.get_value())
    (True, 3)
    """

    def __init__(self, value: Any, present: Any, element_spec: Any) -> None:
        self._value = value
        self._present = present
        self.element_spec = element_spec

    @classmethod
    def from_value(cls, value: Any) -> Optional:
        """Return an optional with a value."""
        return cls(value, convert_to_tensor(True), spec_of(value))

    @classmethod
    def empty(cls, element_spec: Any) -> Optional:
        """Return an optional without a value, for elements of these specs."""
        return cls(_NOTHING, convert_to_tensor(False), element_spec)

    @property
    def value_type(self) -> type[Optional]:
        """The class of its values."""
        return Optional

    def has_value(self, name: str | None = None) -> Tensor:
        """Return whether there is a value."""
        present: Tensor = self._present
        return present

    def get_value(self, name: str | None = None) -> Any:
        """Return the value; tf.errors.InvalidArgumentError if it is known absent."""
        known = get_static_value(self._present)
        if self.is_blank or (known is not None and not known):
            raise InvalidArgumentError(
                "tf.experimental.Optional.get_value: there is no value; ask "
                "has_value() first",
                code=codes.NO_VALUE_YET,
            )
        return self._value

    # -- as part of loops, branches and functions ------------------------------------

    @property
    def is_blank(self) -> bool:
        """Whether there are no tensors, not even those of an absent element."""
        return self._value is _NOTHING

    def filled(self) -> Optional:
        """Return an optional that has tensors, zeros where the element is absent."""
        if not self.is_blank:
            return self
        if self.element_spec is None:
            raise codes.NO_VALUE_YET.value_error(
                "tf.experimental.Optional.empty: the specs of the element are unknown; "
                "give element_spec"
            )
        value = nest.map_structure(_zeros, self.element_spec)
        return type(self)(value, self._present, self.element_spec)

    def invariants(self) -> list[TensorShape]:
        """Return the static shapes of its tensors in a loop that replaces them."""
        specs = nest.flatten(self.element_spec)
        tensors = list(leaves_of(self._traced_parts(), Tensor))
        if len(specs) + 1 != len(tensors):
            return [tensor.shape for tensor in tensors]
        return [*(spec.shape for spec in specs), TensorShape([])]

    def _traced_parts(self) -> list[Any]:
        """Return the tensors of the value and its presence."""
        if self.is_blank and self.element_spec is None:
            return [self._present]
        return [*nest.flatten(self.filled()._value), self._present]

    def _with_parts(self, parts: Sequence[Any]) -> Optional:
        """Return an optional with other tensors."""
        *values, present = parts
        if self.is_blank and self.element_spec is None:
            return type(self)(_NOTHING, present, None)
        value = nest.pack_sequence_as(self.filled()._value, values)
        return type(self)(value, present, self.element_spec)


def spec_of(value: Any) -> Any:
    """Return the specs of the tensors of a structure."""
    return nest.map_structure(lambda x: getattr(x, "spec", None), value)


def _zeros(spec: Any) -> Any:
    """Return zeros in the place of an absent tensor; unknown sizes are 0."""
    if spec is None:
        return None
    sizes = [size or 0 for size in spec.shape.as_list()] if spec.shape.rank else []
    return convert_to_tensor(np.zeros(sizes, spec.dtype.as_numpy_dtype))
