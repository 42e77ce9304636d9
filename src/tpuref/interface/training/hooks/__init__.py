"""Hooks: what is called around the steps of a monitored session."""
