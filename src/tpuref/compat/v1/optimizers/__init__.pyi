"""The names under ``tf.compat.v1.optimizers``."""

from tpuref.compat.v1.optimizers import schedules as schedules
from tpuref.optimizers.adagrad import Adagrad as Adagrad
from tpuref.optimizers.adam import Adam as Adam
from tpuref.optimizers.gradient_descent import SGD as SGD
from tpuref.optimizers.optimizer import Optimizer as Optimizer
from tpuref.optimizers.rmsprop import RMSprop as RMSprop
