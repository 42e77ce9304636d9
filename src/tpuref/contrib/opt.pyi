"""The names under ``tf.contrib.opt``."""

from tpuref.training.weight_decay import AdamWOptimizer as AdamWOptimizer
from tpuref.training.weight_decay import DecoupledWeightDecayExtension as DecoupledWeightDecayExtension
from tpuref.training.weight_decay import MomentumWOptimizer as MomentumWOptimizer
from tpuref.training.weight_decay import extend_with_decoupled_weight_decay as extend_with_decoupled_weight_decay
