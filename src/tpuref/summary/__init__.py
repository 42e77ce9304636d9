"""Summaries: what a program tells TensorBoard."""

from tpuref.names.namespace import attach as _attach

_attach(__name__)
