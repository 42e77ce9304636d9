"""The resolver of Cloud TPUs under ``tf.contrib.cluster_resolver``."""

from __future__ import annotations

from typing import Any

from tpuref.interface.cluster_resolver.addresses import GRPC
from tpuref.interface.cluster_resolver.tpu import CloudTPUs
from tpuref.names.members import explain_missing_members


@explain_missing_members("tf.contrib.cluster_resolver.TPUClusterResolver")
class TPUClusterResolver(CloudTPUs):
    """Finds Cloud TPUs by name for a session.

    Parameters
    ----------
    tpu
        The name of a Cloud TPU, or a list of names whose endpoints are joined.  The
        strings ``""`` and ``"local"`` and those that begin with ``"grpc://"`` or
        ``"/bns"`` are not names: a session connects to them directly, and there is no
        ClusterSpec.  None uses the first of the environment variables
        ``KUBE_GOOGLE_CLOUD_TPU_ENDPOINTS``, ``TPU_NAME`` and ``TPU_CONFIG`` that is
        set.
    zone, project
        The location of the TPU; if omitted or empty, that of this machine, from the
        metadata server of Google Cloud.
    job_name
        The job of the TPUs.
    coordinator_name
        The job of the coordinator; None omits it from the ClusterSpec.
    coordinator_address
        Its address; None starts a server if there is a `coordinator_name`.
    credentials
        The credentials; None and ``"default"`` mean the default credentials of Google's
        client.
    service
        An object of the Cloud TPU API to use instead of one built with `credentials`.
    discovery_url
        A template of the address of the API's description, with ``{api}`` and
        ``{apiVersion}``; the variable ``TPU_API_DISCOVERY_URL`` takes precedence.

    Raises
    ------
    ImportError
        If a name must be looked up and Google's client is not installed.
    ValueError
        If no TPU is specified; the message lists the sources tried.
    RuntimeError
        If zone or project are unknown.

    Examples
    --------
    >>> import tpuref as tf
    >>> tpu = "grpc://10.240.1.2:8470"
    >>> resolver = tf.contrib.cluster_resolver.TPUClusterResolver(tpu)
    >>> resolver.master()
    'grpc://10.240.1.2:8470'
    >>> print(resolver.cluster_spec())
    None

    References
    ----------
    002_5797ad2ccd98ef9a.txt
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

        Returns
        -------
        str
            The first address of the TPUs, as ``grpc://host:port``; or the string given
            instead of a name.

        Raises
        ------
        ValueError
            If the TPU does not exist, or the API answers with a lasting error.
        RuntimeError
            If a TPU is not healthy or not ready, or there is no answer.
        """
        return self._target(None, None, None)

    def __deepcopy__(self, memo: Any) -> TPUClusterResolver:
        """Return the resolver itself: a service or server cannot be copied."""
        return self
