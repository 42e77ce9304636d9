"""The resolver of Cloud TPUs under ``tf.distribute.cluster_resolver``."""

from __future__ import annotations

from types import TracebackType
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.errors import coded
from tpuref.cluster_resolver import metadata
from tpuref.cluster_resolver.addresses import GRPC
from tpuref.cluster_resolver.tpu import CloudTPUs


class TPUClusterResolver(CloudTPUs):
    """Finds a Cloud TPU by its name, for a session to connect to.

    It works on Compute Engine, where zone and project come from the metadata server; on
    Kubernetes Engine, which names the TPU's endpoints in the environment; and where the
    TPU is attached to this computer, as tpuref's own cores are.

    Parameters
    ----------
    tpu
        The name of a Cloud TPU.  The strings ``""`` and ``"local"`` and those that
        begin with ``"grpc://"`` are no names: they are what a session connects to, and
        lead to no ClusterSpec.  None takes what the environment says: the variables
        ``KUBE_GOOGLE_CLOUD_TPU_ENDPOINTS``, ``TPU_NAME`` and ``TPU_CONFIG``, in turn.
    zone, project
        Where the TPU is; left out or empty, those of this machine, from the metadata
        server of Google Cloud.
    job_name
        The job that the TPU belongs to.
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
        If `tpu` is empty on a machine of Google Cloud, or zone or project are not
        known.
    NotImplementedError
        If `tpu` is a list of several names.

    Examples
    --------
    >>> import tpuref as tf
    >>> resolver = tf.distribute.cluster_resolver.TPUClusterResolver("local")
    >>> with tf.Session(resolver.master()) as session:
    ...     print(session.run(tf.constant(2) + 3))
    5

    References
    ----------
    004_1530f51430af0bea.txt
    """

    _prefixes = (GRPC,)
    _several = False

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
        if tpu in ("", b"", [""], [b""]) and metadata.in_google_cloud():
            raise coded(
                RuntimeError,
                "TPUClusterResolver: tpu is empty, but this is a machine of Google "
                f"Cloud ({metadata.host()} answers); give the name of a Cloud TPU",
                code=codes.NO_TPU_FOUND,
            )
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

    def master(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        rpc_layer: str | None = None,
    ) -> str:
        """Return what a session connects to.

        Parameters
        ----------
        task_type
            The job of the task to connect to, by default the TPU's.
        task_id
            The index of the task, by default 0.
        rpc_layer
            The protocol to connect with, by default ``"grpc"``.

        Returns
        -------
        str
            The address of the task, as ``grpc://host:port``; or the string that was
            given in the place of a name, whatever the arguments.

        Raises
        ------
        ValueError
            If there is no such TPU, job or task, or the API answers with an error that
            stays.
        RuntimeError
            If the TPU is not healthy or not ready, or nobody answers.
        """
        return self._target(task_type, task_id, rpc_layer)

    def __enter__(self) -> TPUClusterResolver:
        """Return the resolver."""
        return self

    def __exit__(
        self,
        type: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Stop the coordinator's server, if one was started; errors pass."""
        if self._coordinator is not None:
            self._coordinator.stop()
