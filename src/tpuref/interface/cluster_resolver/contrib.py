"""The resolver of Cloud TPUs under ``tf.contrib.cluster_resolver``."""

from __future__ import annotations

from typing import Any

from tpuref.interface.cluster_resolver.addresses import GRPC
from tpuref.interface.cluster_resolver.tpu import CloudTPUs
from tpuref.names.members import explain_missing_members


@explain_missing_members("tf.contrib.cluster_resolver.TPUClusterResolver")
class TPUClusterResolver(CloudTPUs):
    """A resolver that finds Cloud TPUs by name for a session.

    See 002_5797ad2ccd98ef9a.txt.  `tpu` is as for
    `tf.distribute.cluster_resolver.TPUClusterResolver`; also a list of names, whose
    endpoints are joined.  A string that begins with ``"/bns"`` is not a name either.
    `zone`, `project`, `job_name`, `coordinator_name` and `coordinator_address` are as
    for that class.  `credentials`, `service` and `discovery_url` are as for that class.
    It raises ImportError if a name must be looked up and Google's client is not
    installed.  It raises ValueError if no TPU is specified; the message lists the
    sources tried.  It raises RuntimeError if zone or project are unknown.

    Examples
    --------
    >>> tpu = "grpc://10.240.1.2:8470"
    >>> resolver = tf.contrib.cluster_resolver.TPUClusterResolver(tpu)
    >>> resolver.master()
    'grpc://10.240.1.2:8470'
    >>> print(resolver.cluster_spec())
    None
    """

    _prefixes = (GRPC, "/bns")
    _several = True

    def __init__(
        self,
        tpu: Any = None,
        zone: str | None = None,
        project: str | None = None,
        job_name: str = "worker",
        coordinator_name: str | None = None,
        coordinator_address: str | None = None,
        credentials: Any = "default",
        service: Any = None,
        discovery_url: str | None = None,
    ) -> None:
        self._set_up(
            tpu,
            zone,
            project,
            job_name,
            coordinator_name,
            coordinator_address,
            credentials,
            service,
            discovery_url,
        )

    def master(self) -> str:
        """Return the address for a session.

        It is the first address of the TPUs, as ``grpc://host:port``; or the string
        passed instead of a name.  It raises ValueError if the TPU does not exist or the
        API answers with a lasting error, and RuntimeError if a TPU is not healthy or
        not ready, or there is no answer.
        """
        return self._target(None, None, None)

    def __deepcopy__(self, memo: Any) -> TPUClusterResolver:
        """Return the resolver itself: a service or server cannot be copied."""
        return self
