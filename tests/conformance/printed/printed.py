"""tpuref with no names but those printed on the page of TPUStrategy, and graphs."""

from types import SimpleNamespace

import tpuref

Graph = tpuref.Graph
VariableAggregation = tpuref.VariableAggregation
colocate_with = tpuref.colocate_with
data = tpuref.data
get_tower_context = tpuref.get_tower_context
get_variable = tpuref.get_variable
global_variables_initializer = tpuref.global_variables_initializer
group = tpuref.group
contrib = SimpleNamespace(
    cluster_resolver=tpuref.contrib.cluster_resolver,
    distribute=SimpleNamespace(
        OneDeviceStrategy=tpuref.contrib.distribute.OneDeviceStrategy,
        TPUStrategy=tpuref.contrib.distribute.TPUStrategy,
    ),
)
