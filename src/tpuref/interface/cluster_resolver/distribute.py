"""The resolver of Cloud TPUs under ``tf.distribute.cluster_resolver``."""

from __future__ import annotations

from numbers import Integral
from types import TracebackType
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.masking import masked
from tpuref.interface.cluster_resolver import metadata
from tpuref.interface.cluster_resolver.addresses import GRPC
from tpuref.interface.cluster_resolver.source import Master, text_of
from tpuref.interface.cluster_resolver.tpu import CloudTPUs
from tpuref.interface.tpu.bring_up import (
    experimental_connect_to_cluster,
    initialize_tpu_system,
)
from tpuref.names.members import explain_missing_members

_NAME = "TPUClusterResolver"


@explain_missing_members("tf.distribute.cluster_resolver.TPUClusterResolver")
class TPUClusterResolver(CloudTPUs):
    """A resolver that finds a Cloud TPU by name for a session.

    It works on Compute Engine, where zone and project come from the metadata server; on
    Kubernetes Engine, where the environment has the TPU's endpoints; and for TPUs
    attached to this computer, such as tpuref's cores.  See 004_1530f51430af0bea.txt.

    Parameters
    ----------
    tpu
        The name of a Cloud TPU.  The strings ``""`` and ``"local"`` and those that
        begin with ``"grpc://"`` are not names: a session connects to them directly, and
        there is no ClusterSpec.  None uses the first of the environment variables
        ``KUBE_GOOGLE_CLOUD_TPU_ENDPOINTS``, ``TPU_NAME`` and ``TPU_CONFIG`` that is
        set.
    zone, project
        The location of the TPU; if omitted or empty, that of this machine, from the
        metadata server of Google Cloud.
    job_name
        The job of the TPU.
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
        If `tpu` is empty on a machine of Google Cloud, or zone or project are unknown.
    NotImplementedError
        If `tpu` is a list of several names.

    Examples
    --------
    >>> resolver = tf.distribute.cluster_resolver.TPUClusterResolver("local")
    >>> with tf.Session(resolver.master()) as session:
    ...     print(session.run(tf.constant(2) + 3))
    5
    """

    _prefixes = (GRPC,)
    _several = False
    _task_id: int | None = 0
    _rpc_layer = "grpc"

    def _check_is_given(self, tpu: Any) -> None:
        if tpu in ("", b"", [""], [b""]) and metadata.in_google_cloud():
            raise codes.TPU_NOT_SPECIFIED.runtime_error(
                f"{_NAME}: tpu is empty, but this is a machine of Google "
                f"Cloud ({metadata.host()} answers); give the name of a Cloud TPU"
            )

    @classmethod
    def connect(
        cls, tpu: Any = None, zone: str | None = None, project: str | None = None
    ) -> TPUClusterResolver:
        """Connect to a TPU, initialize it, and return its resolver.

        Examples
        --------
        >>> from tpuref.distribute.cluster_resolver import TPUClusterResolver
        >>> with tf.eager_execution():
        ...     resolver = TPUClusterResolver.connect("local")
        >>> resolver.master()
        'local'
        """
        resolver = cls(tpu, zone, project)
        experimental_connect_to_cluster(resolver)
        initialize_tpu_system(resolver)
        return resolver

    def master(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        rpc_layer: str | None = None,
    ) -> str:
        """Return the address for a session.

        It is the address of the task, as ``grpc://host:port``; or, regardless of the
        arguments, the string passed instead of a name.  `task_type` is the job of the
        task to connect to, by default the attribute `task_type`.  `task_id` is the
        index of the task, by default the attribute `task_id`.  `rpc_layer` is the
        protocol of the connection, by default the attribute `rpc_layer`.  It raises
        ValueError if the TPU, job or task does not exist or the API answers with a
        lasting error, and RuntimeError if the TPU is not healthy or not ready, or there
        is no answer.
        """
        return self._target(
            self.task_type if task_type is None else task_type,
            self.task_id if task_id is None else task_id,
            _layer(rpc_layer, self._rpc_layer),
        )

    @property
    def task_type(self) -> str:
        """The job of the TPU; setting it renames the job.

        Setting it raises TypeError for anything but text, and ValueError for the
        coordinator's job.
        """
        return self._job_name

    @task_type.setter
    def task_type(self, value: Any) -> None:
        job = text_of(value, "task_type", _NAME)
        if self._coordinator is not None:
            self._check_job_names(job, self._coordinator.name)
        self._job_name = job

    @property
    def task_id(self) -> int | None:
        """The task whose address `master` returns, initially 0; None means 0.

        Setting it raises TypeError for anything but an integer, and ValueError for a
        negative one, or for any task but 0 if `tpu` is an address.
        """
        return self._task_id

    @task_id.setter
    def task_id(self, value: Any) -> None:
        if isinstance(value, bool) or not isinstance(value, (Integral, type(None))):
            raise codes.WRONG_ARGUMENT_TYPE.type_error(
                f"{_NAME}: task_id must be an integer, got {value!r}"
            )
        if value is not None and value < 0:
            raise codes.INVALID_CLUSTER.value_error(
                f"{_NAME}: task_id must be 0 or more, got {value}"
            )
        if value:
            self._check_has_tasks("task_id", value)
        self._task_id = None if value is None else int(value)

    @property
    def rpc_layer(self) -> str | None:
        """The protocol at the start of `master`, initially ``"grpc"``.

        None for the TPU of this computer.  Setting it raises TypeError for anything but
        text, and ValueError for another protocol if `tpu` is an address.
        """
        if isinstance(self._source, Master):
            return "grpc" if self._source.target.startswith(GRPC) else None
        return self._rpc_layer

    @rpc_layer.setter
    def rpc_layer(self, value: Any) -> None:
        layer = _layer(value, "grpc")
        if value is not None and layer != self.rpc_layer:
            self._check_has_tasks("rpc_layer", value)
        self._rpc_layer = layer

    def _check_has_tasks(self, attribute: str, value: Any) -> None:
        if isinstance(self._source, Master):
            raise codes.INVALID_CLUSTER.value_error(
                f"{_NAME}: {attribute} cannot be {value!r}, because tpu="
                f"{masked(repr(self._source.target))} is passed through unchanged; "
                "pass another address as tpu="
            )

    def __enter__(self) -> TPUClusterResolver:
        """Return the resolver."""
        return self

    def __exit__(
        self,
        type: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Stop the coordinator's server, if one was started."""
        if self._coordinator is not None:
            self._coordinator.stop()


def _layer(value: Any, otherwise: str) -> str:
    """Return a protocol as text, or `otherwise` if it is None or empty."""
    if value is None:
        return otherwise
    return text_of(value, "rpc_layer", _NAME) or otherwise
