"""The names under ``tf.compat.v2.distribute``."""

from tpuref.compat.both.distribute import *
from tpuref.interface.distribute.replicas.kinds import ParameterServerStrategy as ParameterServerStrategy
