"""The devices of JAX that run the replicas, as `tf.config.xla_devices` chooses them."""

import contextlib
import glob
import importlib.util
from typing import Any

import jax

from tpuref.base import error_codes as codes
from tpuref.base.errors import coded

Device = Any
"""A device of JAX."""


def chosen_devices(setting: int | str | None) -> list[Device]:
    """Return the devices of all processes: a number of CPU devices, or a platform's.

    None means JAX's default devices.
    """
    if setting != "tpu":
        _leave_out_absent_tpu()
    if isinstance(setting, int):
        return _processors(setting)
    try:
        return list(jax.devices(setting))
    except RuntimeError as error:
        raise coded(
            ValueError,
            f"tf.config.xla_devices is {setting!r}, and this JAX has no such devices: "
            f"its default ones are {jax.devices()}. Give a number of CPU devices, or "
            "install the JAX of that platform",
            code=codes.INVALID_SETTING,
        ) from error


def _leave_out_absent_tpu() -> None:
    """Keep JAX from starting libtpu, which logs errors where there is no TPU.

    It is installed for its compiler.
    """
    wanted = jax.config.jax_platforms or importlib.util.find_spec("jax_plugins")
    there = glob.glob("/dev/accel*") + glob.glob("/dev/vfio/*")
    if importlib.util.find_spec("libtpu") and not wanted and not there:
        jax.config.update("jax_platforms", "cpu")


def _processors(count: int) -> list[Device]:
    """Return this number of CPU devices of each process."""
    if jax.config.jax_num_cpu_devices < count:
        with contextlib.suppress(RuntimeError):  # raised once JAX has started
            jax.config.update("jax_num_cpu_devices", count)
    there = len(jax.local_devices(backend="cpu"))
    if there < count:
        raise coded(
            ValueError,
            f"tf.config.xla_devices is {count}, and JAX has started with {there} CPU "
            f"devices. Set it, or TPUREF_XLA_DEVICES={count}, before anything in this "
            "process runs on JAX",
            code=codes.INVALID_SETTING,
        )
    by_process: dict[int, list[Device]] = {}
    for device in jax.devices("cpu"):
        by_process.setdefault(device.process_index, []).append(device)
    return [device for own in by_process.values() for device in own[:count]]
