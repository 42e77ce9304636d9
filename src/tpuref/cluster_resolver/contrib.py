"""The resolver of Cloud TPUs under ``tf.contrib.cluster_resolver``."""

from __future__ import annotations

from typing import Any

from tpuref.cluster_resolver.addresses import GRPC
from tpuref.cluster_resolver.tpu import CloudTPUs


class TPUClusterResolver(CloudTPUs):
    """Finds Cloud TPUs by their names, for a session to connect to.

    Parameters
    ----------
    tpu
        The name of a Cloud TPU, or a list of names whose endpoints are joined.  The
        strings ``""`` and ``"local"`` and those that begin with ``"grpc://"`` or
        ``"/bns"`` are no names: they are what a session connects to, and lead to no
        ClusterSpec.  None takes what the environment says: the variables
        ``KUBE_GOOGLE_CLOUD_TPU_ENDPOINTS``, ``TPU_NAME`` and ``TPU_CONFIG``, in turn.
    zone, project
        Where the TPU is; left out or empty, those of this machine, from the metadata
        server of Google Cloud.
    job_name
        The job that the TPUs belong to.
    coordinator_name
        The job of the coordinator; None leaves it out of the ClusterSpec.
    coordinator_address
        Its address; None starts a server, if there is a `coordinator_name`.
    credentials
        What to identify with; None and ``"default"`` are the default credentials of
        Google's client.
    service
        An object of the Cloud TPU API to ask, in place of one that is built with
        `credentials`.
    discovery_url
        A template with ``{api}`` and ``{apiVersion}`` of where the API is described;
        the variable ``TPU_API_DISCOVERY_URL`` goes before it.

    Raises
    ------
    ImportError
        If a name has to be looked up and Google's client is not installed.
    ValueError
        If no TPU is specified; the message lists what was tried.
    RuntimeError
        If zone or project are not known.

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
        """Return what a session connects to.

        Returns
        -------
        str
            The first address of the TPUs, as ``grpc://host:port``; or the string that
            was given in the place of a name.

        Raises
        ------
        ValueError
            If there is no such TPU, or the API answers with an error that stays.
        RuntimeError
            If a TPU is not healthy or not ready, or nobody answers.
        """
        return self._target(None, None, None)

    def __deepcopy__(self, memo: Any) -> TPUClusterResolver:
        """Return the resolver itself: a service or server cannot be copied."""
        return self
