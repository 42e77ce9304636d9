"""The topology of a TPU system, its wire form, and its devices."""
