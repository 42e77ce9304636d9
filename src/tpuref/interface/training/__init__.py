"""Training: optimizers, the global step, decays of learning rates, moving averages."""
