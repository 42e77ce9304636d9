"""Graphs, sessions and variables."""

from tpuref.engine.graph import (
    tensor_operations as tensor_operations,  # registers itself
)
