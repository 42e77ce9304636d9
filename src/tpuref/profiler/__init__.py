"""Traces of the host and the cores over time, for Perfetto and chrome://tracing."""

from tpuref.names.namespace import attach

attach(__name__)
