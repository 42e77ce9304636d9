"""Gradients of programs: the backward pass."""
