"""Checks of tf.config and tf.tpu.experimental: how a TensorFlow 2 program starts."""

from ..clause import clause, same
from ..probes import version_2


@clause("tf.config.list_logical_devices/behaviour/processors")
def logical_processors(tf):
    with version_2(tf) as tf:
        devices = tf.config.list_logical_devices("CPU")
        assert devices, "no processor"
        for number, device in enumerate(devices):
            same(device.device_type, "CPU")
            assert device.name.endswith("/device:CPU:%d" % number), device.name
        assert set(devices) <= set(tf.config.list_logical_devices())


@clause("tf.config.list_physical_devices/behaviour/processors")
def physical_processors(tf):
    with version_2(tf) as tf:
        devices = tf.config.list_physical_devices("CPU")
        same([device.name for device in devices], ["/physical_device:CPU:0"])
        same([device.device_type for device in devices], ["CPU"])


@clause("tf.config.set_soft_device_placement/behaviour/kept")
def soft_placement(tf):
    with version_2(tf) as tf:
        before = tf.config.get_soft_device_placement()
        for wanted in (False, True):
            tf.config.set_soft_device_placement(wanted)
            same(tf.config.get_soft_device_placement(), wanted)
        tf.config.set_soft_device_placement(before)


@clause("tf.config.run_functions_eagerly/behaviour/values")
def functions_that_run_eagerly(tf):
    with version_2(tf) as tf:
        seen = []

        @tf.function
        def looked_at(x):
            seen.append(hasattr(x, "numpy") and float(x.numpy()))
            return x + 1.0

        tf.config.run_functions_eagerly(True)
        try:
            for x in (1.0, 2.0):
                same(looked_at(tf.constant(x)).numpy(), x + 1.0)
        finally:
            tf.config.run_functions_eagerly(False)
        same(seen, [1.0, 2.0])
