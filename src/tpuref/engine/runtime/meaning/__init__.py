"""Lockstep, which defines the meaning of programs, and the state of sessions."""
