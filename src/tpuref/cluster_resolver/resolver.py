"""What every cluster resolver can do."""

from __future__ import annotations

import abc

from tpuref.cluster_resolver.cluster_spec import ClusterSpec


class ClusterResolver(abc.ABC):
    """Finds out which jobs a cluster has, and where a session connects to it.

    Examples
    --------
    >>> import tpuref as tf
    >>> class OneHost(tf.distribute.cluster_resolver.ClusterResolver):
    ...     def cluster_spec(self):
    ...         return tf.train.ClusterSpec({"worker": ["localhost:8470"]})
    ...     def master(self):
    ...         return "grpc://localhost:8470"
    >>> OneHost().master()
    'grpc://localhost:8470'
    """

    @abc.abstractmethod
    def cluster_spec(self) -> ClusterSpec | None:
        """Return the jobs and addresses as they are now, None where there are none."""

    @abc.abstractmethod
    def master(self) -> str:
        """Return what a session connects to."""

    @property
    def environment(self) -> str:
        """``"google"`` where TPUs are attached to this computer, otherwise empty."""
        return ""
