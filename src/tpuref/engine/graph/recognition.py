"""Bases by which libraries recognise the classes of TensorFlow without importing it.

Keras tells tensors and datasets by the names and modules of their classes' bases, and
functions of tensors tell ragged ones, which a higher module defines.
"""

from collections.abc import Callable
from typing import Any, TypeVar

Class = TypeVar("Class", bound=type)


def named(name: str, module: str) -> Callable[[Class], Class]:
    """Let a class have a name and a module of TensorFlow."""

    def decorate(kind: Class) -> Class:
        kind.__name__, kind.__module__ = name, f"tensorflow.python.{module}"
        return kind

    return decorate


@named("Tensor", "framework.tensor")
class KnownTensor:
    """The base of tensors."""

    __slots__ = ()


@named("RaggedTensor", "ops.ragged.ragged_tensor")
class KnownRaggedTensor:
    """The base of ragged tensors."""

    values: Any
    with_values: Callable[[Any], Any]


@named("DatasetV2", "data.ops.dataset_ops")
class KnownDataset:
    """The base of datasets."""

    __slots__ = ()


@named("DistributedDataset", "distribute.input_lib")
class KnownDistributedDataset:
    """The base of datasets of several replicas."""

    __slots__ = ()
