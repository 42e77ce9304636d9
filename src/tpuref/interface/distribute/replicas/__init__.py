"""Strategies as TensorFlow 2 has them: replicas instead of towers."""
