"""tpuref with no names but those printed on the page of TPUStrategy, and graphs."""

from types import SimpleNamespace

import tpuref

for name in (
    "Graph", "VariableAggregation", "colocate_with", "data", "get_tower_context",
    "get_variable", "global_variables_initializer", "group",
):  # fmt: skip
    globals()[name] = getattr(tpuref, name)
package = tpuref.contrib.distribute
names = {name: getattr(package, name) for name in ("OneDeviceStrategy", "TPUStrategy")}
contrib = SimpleNamespace(
    cluster_resolver=tpuref.contrib.cluster_resolver,
    distribute=SimpleNamespace(**names),
)
