"""The resolver of Cloud TPUs under ``tf.contrib.cluster_resolver``."""

from tpuref.interface.cluster_resolver.addresses import GRPC
from tpuref.interface.cluster_resolver.tpu import CloudTPUs
from tpuref.names.members import explain_missing_members


@explain_missing_members("tf.contrib.cluster_resolver.TPUClusterResolver")
class TPUClusterResolver(CloudTPUs):
    """A resolver that finds Cloud TPUs by name for a session.

    See 002_5797ad2ccd98ef9a.txt.  `tpu` is as for
    `tf.distribute.cluster_resolver.TPUClusterResolver`; also a list of names, whose
    endpoints are joined.  A string that begins with ``"/bns"`` is not a name either.
    Other parameters and errors are those of that class.

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

    def master(self) -> str:
        """Return the address for a session.

        It is the first address of the TPUs, as ``grpc://host:port``; or the string
        passed instead of a name.  It raises ValueError if the TPU does not exist or the
        API answers with a lasting error, and RuntimeError if a TPU is not healthy or
        not ready, or there is no answer.
        """
        return self._target(None, None, None)
