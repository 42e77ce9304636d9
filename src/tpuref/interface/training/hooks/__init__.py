"""Hooks that a monitored session calls before and after each run."""
