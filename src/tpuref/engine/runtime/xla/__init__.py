"""The executor on XLA: a program, compiled for all replicas at once.

Only `runtime.executor` imports it, once somebody chooses it: JAX is optional.
"""
