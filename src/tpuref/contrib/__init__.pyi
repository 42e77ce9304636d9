"""The names under ``tf.contrib``; those without types are rows of `names/private.txt`."""

from tpuref.contrib import cluster_resolver as cluster_resolver

from tpuref.contrib import distribute as distribute
from tpuref.contrib import tpu as tpu
from typing import Any

cloud: Any
data: Any
estimator: Any
framework: Any
layers: Any
lookup: Any
metrics: Any
opt: Any
summary: Any
training: Any
