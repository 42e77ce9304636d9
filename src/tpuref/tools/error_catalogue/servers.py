"""Cloud TPUs, clusters and servers."""

from __future__ import annotations

from tpuref.base import error_codes as codes
from tpuref.tools.error_catalogue.entry import Entry

ENTRIES = (
    Entry(
        codes.TPU_NOT_SPECIFIED,
        "It is not clear which TPU is meant",
        meaning="The argument tpu is missing or empty and no environment variable "
        "names a TPU; its project or zone is unknown; or several are given where one "
        "is allowed.",
        remedy="Pass one name or 'grpc://host:port' as tpu=, and project= and zone=; "
        "or set TPU_NAME. The name 'local' is this computer, with its CPU cores.",
        document="004_1530f51430af0bea.txt",
        replaces="E060 E066",
    ),
    Entry(
        codes.UNKNOWN_TPU,
        "There is no such TPU",
        meaning="The Cloud TPU API does not know the name in this project and zone, "
        "has no address for it, or answers with a lasting error, which is the cause "
        "of this one.",
        remedy="Check name, zone and project. Write an address as 'grpc://host:port'.",
        document="004_1530f51430af0bea.txt",
    ),
    Entry(
        codes.TPU_NOT_READY,
        "The TPU is not ready, or not healthy",
        meaning="According to the Cloud TPU API, its state is not READY or its health "
        "is not HEALTHY.",
        remedy="Wait until it is, or restart it.",
        document="004_1530f51430af0bea.txt",
    ),
    Entry(
        codes.TPU_ACCESS_DENIED,
        "There are no credentials that give access to the TPU",
        meaning="Google's client found no credentials, the Cloud TPU API answers 401 "
        "or 403, or the credentials cannot be renewed. The TPU may exist or not.",
        remedy="Pass credentials= that may read it (the role TPU Viewer is enough), "
        "or log in (gcloud auth application-default login), and check name, zone and "
        "project.",
        document="004_1530f51430af0bea.txt",
        replaces="E067",
    ),
    Entry(
        codes.INVALID_CLUSTER,
        "This does not describe a cluster or an address",
        meaning="A cluster is a dictionary from the names of jobs to the addresses of "
        "their tasks; a server is one of these tasks. An address is host:port, with a "
        "port from 1 to 65535.",
        remedy="Write tf.train.ClusterSpec({'worker': ['10.1.2.3:8470']}), and "
        "'grpc://10.1.2.3:8470' as the target of a session. Give job and task if "
        "there are several.",
        text="""
            import tpuref as tf

            tf.config.experimental_connect_to_host("")
        """,
        replaces="E072 E236",
    ),
    Entry(
        codes.NO_SUCH_TASK,
        "The cluster has no such job or task, or has several jobs",
        meaning="The requested job or task does not exist in the cluster, or no job "
        "was given and there are several.",
        remedy="Pass one that the message lists, as job= or with "
        "tf.device('/job:...').",
        document="000_04abb9e9288042d8.txt",
        replaces="E012",
    ),
    Entry(
        codes.CANNOT_LISTEN,
        "The server cannot listen on its address",
        meaning="The port is in use, or the host of the task is not this computer.",
        remedy="Choose another port; port 0 picks a free one, and server.target shows "
        "it.",
    ),
    Entry(
        codes.SERVER_UNREACHABLE,
        "A server does not answer as it should",
        meaning="Nothing listens at the address, it sent nothing for too long, it "
        "ended the session, or another program answers there. This holds for servers "
        "of sessions, TPUs and services of Google Cloud.",
        remedy="Check that it runs, the network, proxies and the address "
        "(TPU_API_DISCOVERY_URL, GCE_METADATA_HOST). Create a new tf.Session: a "
        "session that lost its server cannot be used again.",
        replaces="E064 E065",
    ),
)
