"""Feeds of a session call: tensors and their values as arrays."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base.dlpack import is_foreign, shared_array
from tpuref.base.dtypes import string
from tpuref.base.errors import InaccessibleTensorError, coded
from tpuref.engine.graph.convert import to_array
from tpuref.engine.graph.graph import Graph
from tpuref.engine.graph.tensor import Tensor
from tpuref.engine.ops.meaning import Array


class Feeds:
    """The fed tensors, each once, in the order of their keys.

    A key is a tensor, the name of one, or a tuple of these.  The keys are kept alive so
    that their ids stay unique.
    """

    def __init__(self, graph: Graph, keys: Iterable[Any]) -> None:
        self.keys = list(keys)
        tuples = (key if isinstance(key, tuple) else (key,) for key in self.keys)
        self._slots = [_Slot(_feed_tensor(graph, k)) for keys in tuples for k in keys]
        self.tensors = list(dict.fromkeys(slot.tensor for slot in self._slots))

    def arrays(self, values: Iterable[Any]) -> Sequence[Array]:
        """Return the values of the keys as the arrays of `tensors`."""
        parts = list(_values_of(self.keys, values))
        arrays = [slot.array(v) for slot, v in zip(self._slots, parts, strict=True)]
        if len(arrays) == len(self.tensors):
            return arrays
        pairs = zip(self._slots, arrays, strict=True)
        last = {slot.tensor: array for slot, array in pairs}
        return [last[tensor] for tensor in self.tensors]


class _Slot:
    """The requirements on a value fed for one tensor."""

    def __init__(self, tensor: Tensor) -> None:
        self.tensor = tensor
        self._dtype = tensor.dtype.np
        self._is_text = tensor.dtype == string
        self._static = tensor.shape
        self._fitting: tuple[int, ...] | None = None  # the last shape that did

    def array(self, value: Any) -> Array:
        if value.__class__ is not np.ndarray:
            _require_value(self.tensor, value)
        array = self._convert(value)
        if array.shape != self._fitting or self._static is not self.tensor.shape:
            self._require_shape(array)
        return array

    def _convert(self, value: Any) -> Array:
        if self._is_ready(value):
            return _fed_view(value)
        try:
            array = shared_array(value) if is_foreign(value) else value
            if self._is_ready(array):
                return _fed_view(array)
            return to_array(value, self.tensor.dtype)
        except (TypeError, ValueError) as error:
            raise type(error)(
                f"Session.run: cannot feed {self.tensor.describe()}: {error}"
            ) from None

    def _is_ready(self, value: Any) -> bool:
        """Whether the array can be used unconverted; text is always checked."""
        if not isinstance(value, np.ndarray) or self._is_text:
            return False
        return bool(value.dtype == self._dtype) and value.flags.c_contiguous

    def _require_shape(self, array: Array) -> None:
        tensor = self.tensor
        if not tensor.shape.is_compatible_with(array.shape):
            raise codes.CANNOT_FEED.value_error(
                f"Session.run: cannot feed a value of shape {list(array.shape)} for "
                f"{tensor.describe()}, made at {tensor.op.site}"
            )
        self._static, self._fitting = tensor.shape, array.shape


def pairs(feed_dict: Any) -> Mapping[Any, Any]:
    """Return the fed values by key; TypeError if not a dict."""
    if isinstance(feed_dict or {}, Mapping):
        return feed_dict or {}
    raise codes.CANNOT_FEED.type_error(
        "Session.run: feed_dict must be a dict from tensors to values, got "
        f"{type(feed_dict).__name__}"
    )


def _values_of(keys: Iterable[Any], values: Iterable[Any]) -> Iterator[Any]:
    """Yield the values to feed, flattening tuples of tensors."""
    for key, value in zip(keys, values, strict=True):
        if not isinstance(key, tuple):
            yield value
        elif isinstance(value, (list, tuple)) and len(value) == len(key):
            yield from value
        else:
            raise codes.CANNOT_FEED.value_error(
                f"Session.run: a key of feed_dict is a tuple of {len(key)} tensors, "
                f"its value must be as many values, got {value!r}"
            )


def _feed_tensor(graph: Graph, key: Any) -> Tensor:
    try:
        tensor = graph.as_graph_element(key, allow_operation=False)
    except (TypeError, ValueError, KeyError) as error:
        raise TypeError(
            f"Session.run: cannot use {key!r} as a key of feed_dict: "
            f"{codes.with_code(error.args[0], codes.CANNOT_FEED)}"
        ) from None
    assert isinstance(tensor, Tensor)
    if tensor.op.region is not None:
        raise coded(
            InaccessibleTensorError,
            f"Session.run: cannot feed {tensor.describe()}: it belongs to the "
            f"{tensor.op.region.kind} {tensor.op.region.name!r}; feed what that "
            "takes from outside",
            code=codes.LEAKED_TENSOR,
        )
    return tensor


def _require_value(tensor: Tensor, value: Any) -> None:
    if isinstance(value, Tensor) or hasattr(value, "_as_tensor"):
        raise codes.CANNOT_FEED.type_error(
            f"Session.run: the value fed for {tensor.describe()} is {value!r}; "
            "feed NumPy arrays, numbers or lists"
        )


def _fed_view(value: Array) -> Array:
    """Return a read-only view: the run reads the fed array in place."""
    array: Array = value.view(np.ndarray)
    array.setflags(write=False)
    return array
