"""The optimizers' rules, written for NumPy in float64 from their papers' formulas.

Each takes a gradient, the variable and its slots, and gives the new ones.  Learning
rates and the like are the float32 numbers that optimizers make of them.
"""

import numpy as np


def _f32(number):
    return float(np.float32(number))


def gradient_descent(learning_rate):
    def rule(g, w, slots, step):
        return w - learning_rate * g, []

    return rule, []


def momentum(learning_rate, momentum, use_nesterov=False):
    def rule(g, w, slots, step):
        velocity = momentum * slots[0] + g
        direction = g + momentum * velocity if use_nesterov else velocity
        return w - learning_rate * direction, [velocity]

    return rule, [0.0]


def adam(learning_rate):
    rate, b1, b2, epsilon = map(_f32, (learning_rate, 0.9, 0.999, 1e-8))

    def rule(g, w, slots, step):
        # The powers are float32 variables, multiplied once for each step.
        p1, p2 = np.float32(b1), np.float32(b2)
        for _ in range(step):
            p1, p2 = p1 * np.float32(b1), p2 * np.float32(b2)
        m = b1 * slots[0] + (1 - b1) * g
        v = b2 * slots[1] + (1 - b2) * g**2
        corrected = rate * np.sqrt(1 - float(p2)) / (1 - float(p1))
        return w - corrected * m / (np.sqrt(v) + epsilon), [m, v]

    return rule, [0.0, 0.0]


def rmsprop(learning_rate, decay=0.9, momentum=0.0, epsilon=1e-10, centered=False):
    rate, decay, epsilon = map(_f32, (learning_rate, decay, epsilon))

    def rule(g, w, slots, step):
        square = decay * slots[0] + (1 - decay) * g**2
        mean = decay * slots[1] + (1 - decay) * g
        variance = square - mean**2 if centered else square
        change = momentum * slots[2] + rate * g / np.sqrt(variance + epsilon)
        return w - change, [square, mean, change]

    return rule, [1.0, 0.0, 0.0]


def adagrad(learning_rate):
    def rule(g, w, slots, step):
        total = slots[0] + g**2
        return w - _f32(learning_rate) * g / np.sqrt(total), [total]

    return rule, [0.1]


def adadelta(learning_rate, epsilon):
    rho, epsilon = _f32(0.95), _f32(epsilon)

    def rule(g, w, slots, step):
        squares = rho * slots[0] + (1 - rho) * g**2
        change = g * np.sqrt(slots[1] + epsilon) / np.sqrt(squares + epsilon)
        changes = rho * slots[1] + (1 - rho) * change**2
        return w - learning_rate * change, [squares, changes]

    return rule, [0.0, 0.0]


def ftrl(
    learning_rate,
    learning_rate_power=-0.5,
    l1_regularization_strength=0.0,
    l2_regularization_strength=0.0,
    l2_shrinkage_regularization_strength=0.0,
):
    rate, power = _f32(learning_rate), -learning_rate_power
    l1, l2 = l1_regularization_strength, l2_regularization_strength

    def rule(g, w, slots, step):
        total = slots[0] + g**2
        sigma = (total**power - slots[0] ** power) / rate
        shrunk = g + 2 * l2_shrinkage_regularization_strength * w
        z = slots[1] + shrunk - sigma * w
        optimum = -(z - np.sign(z) * l1) / (total**power / rate + 2 * l2)
        return np.where(np.abs(z) > l1, optimum, 0.0), [total, z]

    return rule, [0.1, 0.0]


RULES = {
    "GradientDescentOptimizer": gradient_descent,
    "MomentumOptimizer": momentum,
    "AdamOptimizer": adam,
    "RMSPropOptimizer": rmsprop,
    "AdagradOptimizer": adagrad,
    "AdadeltaOptimizer": adadelta,
    "FtrlOptimizer": ftrl,
}
"""A function of the optimizer's arguments, by its class."""

CHANGES_ALL_ROWS = {"AdamOptimizer"}
"""The classes for which a sparse gradient is zero in its other rows."""


def trained(kind, arguments, start, gradients):
    """Return the variable after dense gradients, or (values, indices) of rows."""
    rule, starts = RULES[kind](**arguments)
    w = start.copy()
    slots = [np.full_like(w, value) for value in starts]
    for step, gradient in enumerate(gradients):
        rows, g = _rows(gradient, w, kind)
        w[rows], changed = rule(g, w[rows], [slot[rows] for slot in slots], step)
        for slot, new in zip(slots, changed, strict=False):
            slot[rows] = new
    return w


def _rows(gradient, w, kind):
    if not isinstance(gradient, tuple):
        return slice(None), gradient
    values, indices = gradient
    total = np.zeros_like(w)
    np.add.at(total, indices, values)
    rows = slice(None) if kind in CHANGES_ALL_ROWS else np.unique(indices)
    return rows, total[rows]
