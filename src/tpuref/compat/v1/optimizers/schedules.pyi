"""The names under ``tf.compat.v1.optimizers.schedules``."""

from tpuref.interface.optimizers.learning_rate_schedules import CosineDecay as CosineDecay
from tpuref.interface.optimizers.learning_rate_schedules import ExponentialDecay as ExponentialDecay
from tpuref.interface.optimizers.learning_rate_schedules import InverseTimeDecay as InverseTimeDecay
from tpuref.interface.optimizers.learning_rate_schedules import LearningRateSchedule as LearningRateSchedule
from tpuref.interface.optimizers.learning_rate_schedules import PiecewiseConstantDecay as PiecewiseConstantDecay
from tpuref.interface.optimizers.learning_rate_schedules import PolynomialDecay as PolynomialDecay
