"""The names under ``tf.compat.v2.autodiff``."""

from tpuref.differentiation.tape import GradientTape as GradientTape
