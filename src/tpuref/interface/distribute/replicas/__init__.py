"""Strategies of TensorFlow 2, with replicas instead of towers."""
