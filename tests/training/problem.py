"""A small problem, the same for tpuref, for NumPy and for TensorFlow 1.15.5.

All numbers are exact in float32, so that only the optimizers' arithmetic differs.
"""

import numpy as np

STEPS = 100
ROWS, COLUMNS = 5, 2

OPTIMIZERS = {
    "GradientDescent": ("GradientDescentOptimizer", {"learning_rate": 0.0625}),
    "Momentum": ("MomentumOptimizer", {"learning_rate": 0.03125, "momentum": 0.75}),
    "Nesterov": ("MomentumOptimizer",
                 {"learning_rate": 0.03125, "momentum": 0.75, "use_nesterov": True}),
    "Adam": ("AdamOptimizer", {"learning_rate": 0.01}),
    "RMSProp": ("RMSPropOptimizer", {"learning_rate": 0.01, "momentum": 0.5}),
    "CenteredRMSProp": ("RMSPropOptimizer",
                        {"learning_rate": 0.01, "decay": 0.75, "epsilon": 0.01,
                         "centered": True}),
    "Adagrad": ("AdagradOptimizer", {"learning_rate": 0.1}),
    "Adadelta": ("AdadeltaOptimizer", {"learning_rate": 1.0, "epsilon": 0.001}),
    "Ftrl": ("FtrlOptimizer", {"learning_rate": 0.1}),
    "RegularizedFtrl": ("FtrlOptimizer",
                        {"learning_rate": 0.1, "learning_rate_power": -0.25,
                         "l1_regularization_strength": 1.0,
                         "l2_regularization_strength": 0.25,
                         "l2_shrinkage_regularization_strength": 0.125}),
}  # fmt: skip
"""The class under tf.train and the arguments, by a name for each case."""


def start(dtype="float64"):
    """Return the first value of the variable."""
    numbers = (np.arange(ROWS * COLUMNS) * 7 % 10 - 4.5) / 4
    return numbers.reshape(ROWS, COLUMNS).astype(dtype)


def dense_gradient(step, dtype="float64"):
    """Return the gradient of a step."""
    numbers = ((np.arange(ROWS * COLUMNS) * 7 + step * 3) % 11 - 4) / 8
    return numbers.reshape(ROWS, COLUMNS).astype(dtype)


def sparse_gradient(step, dtype="float64"):
    """Return the rows of a step, and their indices, one of them twice."""
    indices = np.array([step % 5, (2 * step + 1) % 5, step % 5], np.int32)
    numbers = ((np.arange(3 * COLUMNS) * 5 + step * 3) % 11 - 4) / 8
    return numbers.reshape(3, COLUMNS).astype(dtype), indices
