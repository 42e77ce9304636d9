"""The functions of ``tf.config``; `tpuref.engine.configuration` has its settings."""

from tpuref.engine.graph.logical_devices import LogicalDevice as LogicalDevice
from tpuref.engine.graph.logical_devices import LogicalDeviceConfiguration as LogicalDeviceConfiguration
from tpuref.engine.graph.logical_devices import PhysicalDevice as PhysicalDevice
from tpuref.engine.graph.logical_devices import accepted
from tpuref.engine.graph.logical_devices import experimental as experimental
from tpuref.engine.graph.logical_devices import get_soft_device_placement as get_soft_device_placement
from tpuref.engine.graph.logical_devices import list_logical_devices as list_logical_devices
from tpuref.engine.graph.logical_devices import list_physical_devices as list_physical_devices
from tpuref.engine.graph.logical_devices import optimizer as optimizer
from tpuref.engine.graph.logical_devices import set_soft_device_placement as set_soft_device_placement
from tpuref.engine.graph.logical_devices import threading as threading
from tpuref.engine.tracing.function import functions_run_eagerly as functions_run_eagerly
from tpuref.engine.tracing.function import run_functions_eagerly as run_functions_eagerly
from tpuref.interface.tpu.bring_up import experimental_connect_to_cluster as experimental_connect_to_cluster

experimental_run_functions_eagerly = run_functions_eagerly
set_logical_device_configuration = accepted
set_visible_devices = accepted
