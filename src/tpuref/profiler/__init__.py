"""Traces of the host and the cores over time, for Perfetto and chrome://tracing."""

from tpuref.names.namespace import attach as _attach

_attach(__name__)
