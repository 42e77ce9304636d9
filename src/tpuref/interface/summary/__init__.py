"""Summaries: what a program tells TensorBoard."""
