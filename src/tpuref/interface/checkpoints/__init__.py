"""Checkpoints: files of variables' values, complete whenever a process dies."""
