"""Lockstep, which defines what a program means, and the state that it works on."""
