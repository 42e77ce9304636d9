"""The names under ``tf.compat.v2.autodiff``."""

from tpuref.engine.differentiation.tape import GradientTape as GradientTape
