"""What operations are in JAX, where their meaning is not written over a namespace.

They are here instead of in the operations' records because a core and a program that
never compiles must not load JAX.
"""
