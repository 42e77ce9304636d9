"""Derivatives of programs: the walk back, tapes, and what they give.

The rules are those of `tpuref.ops.derivatives`.
"""
