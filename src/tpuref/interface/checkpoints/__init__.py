"""Checkpoints: the values of variables in files, whole whenever a process dies."""
