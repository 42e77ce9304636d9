"""The names under ``tf.contrib``."""

from tpuref.contrib import cloud as cloud
from tpuref.contrib import cluster_resolver as cluster_resolver
from tpuref.contrib import data as data
from tpuref.contrib import distribute as distribute
from tpuref.contrib import estimator as estimator
from tpuref.contrib import framework as framework
from tpuref.contrib import layers as layers
from tpuref.contrib import lookup as lookup
from tpuref.contrib import opt as opt
from tpuref.contrib import summary as summary
from tpuref.contrib import tpu as tpu
from tpuref.contrib import training as training
