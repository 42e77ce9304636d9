"""The base class of the two documented resolvers of Cloud TPUs."""

import os
from typing import Any, ClassVar, TypeVar

from tpuref.base import error_codes as codes
from tpuref.interface.cluster_resolver import devices, metadata, source
from tpuref.interface.cluster_resolver.addresses import GRPC
from tpuref.interface.cluster_resolver.cloud_api import CloudAPI
from tpuref.interface.cluster_resolver.cluster_spec import ClusterSpec
from tpuref.interface.cluster_resolver.coordinator import Coordinator
from tpuref.interface.cluster_resolver.node import endpoints_of
from tpuref.interface.cluster_resolver.patience import current
from tpuref.interface.cluster_resolver.resolver import ClusterResolver

DISCOVERY_VARIABLE = "TPU_API_DISCOVERY_URL"

Self = TypeVar("Self", bound="CloudTPUs")


class CloudTPUs(ClusterResolver):
    """The TPUs of a job, from a name, the environment or the address of a master."""

    _prefixes: ClassVar[tuple[str, ...]]
    _several: ClassVar[bool]

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
        self._check_is_given(tpu)
        self._patience = current()
        if discovery_url is not None:
            discovery_url = source.text_of(
                discovery_url, "discovery_url", type(self).__name__
            )
        search = source.Search(type(self).__name__, self._prefixes, self._several)
        self._source: source.Source = search.find(tpu)
        self._trace = search.trace
        self._job_name = source.text_of(job_name, "job_name", type(self).__name__)
        self._metadata = metadata.Metadata(self._patience)
        if isinstance(self._source, source.Names):
            url = os.environ.get(DISCOVERY_VARIABLE) or discovery_url
            self._api = CloudAPI(service, credentials, url, self._patience)
            self._trace.note(f"asks: {self._api.describe()}")
            self._project = self._place("project", project, self._source.project)
            self._zone = self._place("zone", zone, self._source.zone)
        self._coordinator = self._make_coordinator(
            coordinator_name, coordinator_address
        )

    def _check_is_given(self, tpu: Any) -> None:
        """Refuse an empty name where the documents do."""

    def _place(self, kind: str, argument: Any, configured: str | None) -> str:
        """Return the project or zone: the argument, TPU_CONFIG's, or this machine's."""
        text = source.text_of(argument or "", kind, type(self).__name__)
        if text:
            self._trace.note(f"{kind}: {text!r}, as given")
            return text
        if configured:
            self._trace.note(f"{kind}: {configured!r}, as the environment says")
            return configured
        ask = self._metadata.project if kind == "project" else self._metadata.zone
        self._trace.note(f"{kind}: not given")
        try:
            text = ask()
        except (RuntimeError, ValueError) as error:
            self._trace.note(f"metadata server: {error}")
            raise RuntimeError(
                f"{type(self).__name__}: the {kind} of the TPU is unknown; pass "
                f"{kind}= [{codes.TPU_NOT_SPECIFIED}]. Tried in turn:\n  {self._trace}"
            ) from error
        self._trace.note(f"{kind}: {text!r}, from {metadata.host()}")
        return text

    def _make_coordinator(self, name: Any, address: Any) -> Coordinator | None:
        """Return the coordinator if there is a name for it and a ClusterSpec."""
        if name is None or isinstance(self._source, source.Master):
            return None
        name = source.text_of(name, "coordinator_name", type(self).__name__)
        if address is not None:
            address = source.text_of(
                address, "coordinator_address", type(self).__name__
            )
        self._check_job_names(self._job_name, name)
        coordinator = Coordinator(name, address or None, self._metadata)
        how = "a started server" if coordinator.started else "as given"
        self._trace.note(f"coordinator: {name!r} at {coordinator.address}, {how}")
        return coordinator

    def _check_job_names(self, job: str, coordinator: str) -> None:
        if job == coordinator:
            raise codes.INVALID_CLUSTER.value_error(
                f"{type(self).__name__}: coordinator_name and job_name are both "
                f"{job!r}; the coordinator would replace the TPUs"
            )

    def cluster_spec(self) -> ClusterSpec | None:
        """Return the current jobs and addresses; each call requests them anew.

        It has the jobs of the TPUs and of the coordinator, if any; it is None if the
        TPU was given as a session's master.  It raises RuntimeError if a TPU is not
        healthy or not ready, or there is no answer, and ValueError if the TPU does not
        exist or the API answers with a lasting error.
        """
        if isinstance(self._source, source.Master):
            return None
        jobs = {self._job_name: self._addresses()}
        if self._coordinator is not None:
            jobs[self._coordinator.name] = [self._coordinator.address]
        return ClusterSpec(jobs)

    def _addresses(self) -> list[str]:
        if isinstance(self._source, source.Endpoints):
            return list(self._source.addresses)
        assert isinstance(self._source, source.Names)
        budget = self._api.budget()
        hosts: list[str] = []
        for name in self._source.names:
            path = f"projects/{self._project}/locations/{self._zone}/nodes/{name}"
            hosts += endpoints_of(self._api.node(path, name, budget), name)
        return hosts

    def _target(self, task_type: Any, task_id: Any, rpc_layer: Any) -> str:
        """Return the address for a session on that task."""
        if isinstance(self._source, source.Master):
            return self._source.target
        spec = self.cluster_spec()
        assert spec is not None
        job = self._job_name if task_type is None else task_type
        address = spec.task_address(job, 0 if task_id is None else task_id)
        return f"{rpc_layer}://{address}" if rpc_layer else GRPC + address

    def get_master(self) -> str:
        """Return the address for a session; see `master`."""
        return self.master()

    def get_job_name(self) -> str:
        """Return the name of the TPUs' job."""
        return self._job_name

    @property
    def environment(self) -> str:
        """``"google"`` if TPUs are attached to this computer, otherwise empty.

        This holds for the strings ``""``, ``"local"`` and ``"/bns..."``; on Compute
        Engine and Kubernetes Engine it is empty.
        """
        attached = isinstance(self._source, source.Master) and not (
            self._source.target.startswith(GRPC)
        )
        return "google" if attached else ""

    def num_accelerators(
        self, task_type: Any = None, task_id: Any = None, config_proto: Any = None
    ) -> int:
        """Return the number of TPU cores of each worker.

        `task_type` and `task_id` have no effect.  `config_proto` is a `tf.ConfigProto`
        for the connection to the master.  It raises RuntimeError if the master does not
        answer after several attempts, or hosts have different numbers of cores.

        Examples
        --------
        >>> resolver = tf.distribute.cluster_resolver.TPUClusterResolver("local")
        >>> with tf.config.override(topology="2x2x2"):
        ...     resolver.num_accelerators()
        8
        """
        return devices.cores_per_host(self.master(), config_proto, self._patience)

    def explain(self) -> None:
        """Print each source that was tried for the TPU, and its result.

        >>> tf.distribute.cluster_resolver.TPUClusterResolver("local").explain()
        TPUClusterResolver:
          tpu: 'local', passed on as the session's master
        """
        print(f"{type(self).__name__}:\n  {self._trace}")

    def __deepcopy__(self: Self, memo: Any) -> Self:
        """Return the resolver itself: a service or server cannot be copied."""
        return self
