"""The names under ``tf.compat.v1.optimizers``."""

from tpuref.compat.v1.optimizers import schedules as schedules
from tpuref.interface.optimizers.adagrad import Adagrad as Adagrad
from tpuref.interface.optimizers.adam import Adam as Adam
from tpuref.interface.optimizers.gradient_descent import SGD as SGD
from tpuref.interface.optimizers.optimizer import Optimizer as Optimizer
from tpuref.interface.optimizers.rmsprop import RMSprop as RMSprop
