"""The interface of cluster resolvers."""

import abc

from tpuref.interface.cluster_resolver.cluster_spec import ClusterSpec


class ClusterResolver(abc.ABC):
    """The interface of resolvers: the jobs of a cluster, and the address of a session.

    Examples
    --------
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
        """Return the current jobs and addresses, None if there are none."""

    @abc.abstractmethod
    def master(self) -> str:
        """Return the address for a session."""

    @property
    def environment(self) -> str:
        """``"google"`` if TPUs are attached to this computer, otherwise empty."""
        return ""
