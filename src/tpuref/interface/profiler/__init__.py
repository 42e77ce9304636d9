"""Traces of the host and the cores over time, for Perfetto and chrome://tracing."""
