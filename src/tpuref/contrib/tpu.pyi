"""The names under ``tf.contrib.tpu``."""

from tpuref.compat.v1._tpu import *
from tpuref.compat.v1.estimator.tpu import *
from tpuref.engine.runtime.topology.topology import Topology as Topology
from tpuref.interface.tpu.device_assignment import DeviceAssignment as DeviceAssignment
from tpuref.interface.tpu.device_assignment import device_assignment as device_assignment
from tpuref.interface.tpu.feeds import infeed_dequeue as infeed_dequeue
from tpuref.interface.tpu.feeds import infeed_dequeue_tuple as infeed_dequeue_tuple
from tpuref.interface.tpu.feeds import infeed_enqueue as infeed_enqueue
from tpuref.interface.tpu.feeds import infeed_enqueue_tuple as infeed_enqueue_tuple
from tpuref.interface.tpu.feeds import outfeed_dequeue as outfeed_dequeue
from tpuref.interface.tpu.feeds import outfeed_dequeue_tuple as outfeed_dequeue_tuple
from tpuref.interface.tpu.feeds import outfeed_enqueue as outfeed_enqueue
from tpuref.interface.tpu.feeds import outfeed_enqueue_tuple as outfeed_enqueue_tuple
from tpuref.interface.tpu.infeed_queue import InfeedQueue as InfeedQueue
from tpuref.interface.tpu.training_loop import repeat as repeat
from tpuref.interface.tpu.training_loop import while_loop as while_loop
from tpuref.interface.training.hooks.async_checkpoint_saver import AsyncCheckpointSaverHook as AsyncCheckpointSaverHook
