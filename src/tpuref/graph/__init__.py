"""Graphs, sessions and variables."""
