"""Graphs, sessions and variables."""

from tpuref.graph import tensor_operations as tensor_operations  # registers itself
