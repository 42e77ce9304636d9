"""Bases by which libraries recognise the classes of TensorFlow without importing it.

Keras tells tensors and datasets by the names and modules of their classes' bases.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Class = TypeVar("Class", bound=type)


def _named(name: str, module: str) -> Callable[[Class], Class]:
    def decorate(kind: Class) -> Class:
        kind.__name__, kind.__module__ = name, f"tensorflow.python.{module}"
        return kind

    return decorate


@_named("Tensor", "framework.tensor")
class KnownTensor:
    """The base of tensors."""

    __slots__ = ()


@_named("DatasetV2", "data.ops.dataset_ops")
class KnownDataset:
    """The base of datasets."""

    __slots__ = ()


@_named("DistributedDataset", "distribute.input_lib")
class KnownDistributedDataset:
    """The base of datasets of several replicas."""

    __slots__ = ()
