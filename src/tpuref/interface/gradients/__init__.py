"""Gradients that programs ask for step by step: tapes and Jacobians."""
