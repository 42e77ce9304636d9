"""The names under ``tf.compat.v1.optimizers.schedules``."""

from tpuref.optimizers.learning_rate_schedules import CosineDecay as CosineDecay
from tpuref.optimizers.learning_rate_schedules import ExponentialDecay as ExponentialDecay
from tpuref.optimizers.learning_rate_schedules import InverseTimeDecay as InverseTimeDecay
from tpuref.optimizers.learning_rate_schedules import LearningRateSchedule as LearningRateSchedule
from tpuref.optimizers.learning_rate_schedules import PiecewiseConstantDecay as PiecewiseConstantDecay
from tpuref.optimizers.learning_rate_schedules import PolynomialDecay as PolynomialDecay
