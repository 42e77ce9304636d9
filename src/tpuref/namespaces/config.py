"""The functions of ``tf.config``, beside the settings that it holds."""

from __future__ import annotations

from types import SimpleNamespace

from tpuref.configuration import config
from tpuref.graph.logical_devices import (
    LogicalDevice,
    LogicalDeviceConfiguration,
    PhysicalDevice,
    accepted,
    get_soft_device_placement,
    list_logical_devices,
    list_physical_devices,
    set_soft_device_placement,
)
from tpuref.tpu.bring_up import (
    experimental_connect_to_cluster,
    experimental_connect_to_host,
)
from tpuref.tracing.function import functions_run_eagerly, run_functions_eagerly

_DEVICES = {
    "list_logical_devices": list_logical_devices,
    "list_physical_devices": list_physical_devices,
    "set_visible_devices": accepted,
}

config.offer(
    **_DEVICES,
    LogicalDevice=LogicalDevice,
    LogicalDeviceConfiguration=LogicalDeviceConfiguration,
    PhysicalDevice=PhysicalDevice,
    experimental=SimpleNamespace(
        **_DEVICES,
        disable_mlir_bridge=accepted,
        enable_mlir_bridge=accepted,
        enable_op_determinism=accepted,
        set_memory_growth=accepted,
    ),
    experimental_connect_to_cluster=experimental_connect_to_cluster,
    experimental_connect_to_host=experimental_connect_to_host,
    experimental_run_functions_eagerly=run_functions_eagerly,
    functions_run_eagerly=functions_run_eagerly,
    get_soft_device_placement=get_soft_device_placement,
    optimizer=SimpleNamespace(set_experimental_options=accepted, set_jit=accepted),
    run_functions_eagerly=run_functions_eagerly,
    set_logical_device_configuration=accepted,
    set_soft_device_placement=set_soft_device_placement,
    threading=SimpleNamespace(
        set_inter_op_parallelism_threads=accepted,
        set_intra_op_parallelism_threads=accepted,
    ),
)
