"""The executor on XLA: a program, compiled for all replicas at once.

JAX is optional: only `runtime.executor` imports it, if it is chosen.
"""
