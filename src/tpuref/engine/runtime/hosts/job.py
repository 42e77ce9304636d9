"""The job: the hosts that run a program together, from settings or the cluster."""

import importlib
from collections.abc import Sequence
from dataclasses import dataclass

from tpuref.base import error_codes as codes
from tpuref.base.extras import optional_module
from tpuref.engine.configuration import config


@dataclass(frozen=True)
class Job:
    """The address of the rendezvous, ``host:port`` on host 0, and the hosts' numbers.

    `devices` are those of its machine that JAX uses here; None for all.
    """

    coordinator: str
    hosts: int
    host: int
    devices: Sequence[int] | None = None


def wanted_job() -> Job | None:
    """Return the job of the settings or the cluster, None for one host.

    It raises ValueError if the settings contradict each other.
    """
    settings = {
        "TPUREF_COORDINATOR (--coordinator)": config.coordinator,
        "TPUREF_NUM_HOSTS (--num-hosts)": config.num_hosts,
        "TPUREF_HOST (--host)": config.host,
    }
    if config.executor != "xla":
        if config.coordinator is not None:
            raise _invalid(
                f"a coordinator is set, {config.coordinator!r}, but the executor is "
                f"{config.executor!r}; only 'xla' runs on several hosts"
            )
        return None
    if config.num_hosts == 1:
        return None
    if config.coordinator is None and config.num_hosts is None:
        return _detect()
    if missing := [name for name, value in settings.items() if value is None]:
        raise _invalid(f"several hosts need {' and '.join(missing)} too")
    if config.host >= config.num_hosts:
        raise _invalid(
            f"host {config.host} of {config.num_hosts} hosts; they count from 0"
        )
    return Job(config.coordinator, config.num_hosts, config.host)


def _detect() -> Job | None:
    """Return the job that JAX detects: Slurm, Open MPI, Kubernetes or Cloud TPU."""
    jax = optional_module("jax", "tf.config.executor = 'xla'", "tpuref[xla]")
    if jax.distributed.is_initialized():
        return None  # the script has joined them itself
    environments = importlib.import_module("jax._src.clusters").ClusterEnv
    unknown = (None, None, None, None)
    coordinator, hosts, host, devices = (
        environments.auto_detect_unset_distributed_params(
            *unknown, None, round(config.timeout)
        )
    )
    if coordinator is None or hosts in (None, 1):
        return None
    return Job(coordinator, hosts, host, devices)


def _invalid(message: str) -> ValueError:
    return codes.INVALID_SETTING.value_error(f"tf.config: {message}")
