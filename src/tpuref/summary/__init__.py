"""Summaries: what a program tells TensorBoard."""

from tpuref.names.namespace import attach

attach(__name__)
