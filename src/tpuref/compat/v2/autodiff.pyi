"""The names under ``tf.compat.v2.autodiff``."""

from tpuref.interface.gradients.tape import GradientTape as GradientTape
