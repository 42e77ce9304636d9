"""The executor on XLA: a program, compiled for all replicas at once.

Only `tpuref.engine.runtime.executor` imports it, once somebody chooses it: JAX is optional.
"""
