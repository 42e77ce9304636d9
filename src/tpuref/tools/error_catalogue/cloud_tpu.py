"""Resolvers of Cloud TPUs."""

from __future__ import annotations

from tpuref.base import error_codes as codes
from tpuref.tools.error_catalogue.entry import Entry

ENTRIES = (
    Entry(
        codes.NO_PROJECT_OR_ZONE,
        "The project or the zone of the TPU is unknown",
        meaning="Looking up a TPU by name needs a project and a zone. Neither "
        "arguments nor environment give them, and no metadata server answered.",
        remedy="Pass project= and zone=. The message lists what was tried.",
        text="""
            import os

            import tpuref as tf

            for name in ("http_proxy", "https_proxy"):
                os.environ.pop(name, None)
            os.environ["GCE_METADATA_HOST"] = "127.0.0.1:1"  # nobody is there
            resolver = tf.distribute.cluster_resolver.TPUClusterResolver
            resolver("my-tpu", zone=None, project=None, service=object())
        """,
        document="004_1530f51430af0bea.txt",
        alone=True,
    ),
    Entry(
        codes.NO_TPU_FOUND,
        "No TPU is specified",
        meaning="The argument tpu is missing or empty, and no environment variable "
        "names a TPU.",
        remedy="Pass the name of a Cloud TPU or 'grpc://host:port' as tpu=, or set "
        "TPU_NAME. The name 'local' is this computer, with its CPU cores.",
        text="""
            import os

            import tpuref as tf

            for name in ("KUBE_GOOGLE_CLOUD_TPU_ENDPOINTS", "TPU_NAME", "TPU_CONFIG"):
                os.environ.pop(name, None)
            tf.distribute.cluster_resolver.TPUClusterResolver()
        """,
        document="004_1530f51430af0bea.txt",
        alone=True,
    ),
    Entry(
        codes.UNKNOWN_TPU,
        "There is no such TPU",
        meaning="The Cloud TPU API does not know the name in this project and zone, "
        "has no address for it, or answers with a lasting error, which is the cause of "
        "this one.",
        remedy="Check name, zone and project. Write an address as 'grpc://host:port'.",
        text="""
            from unittest.mock import MagicMock

            import tpuref as tf

            api = MagicMock()  # as Google's client, which answers that it is ready
            nodes = api.projects().locations().nodes()
            nodes.get().execute.return_value = {"state": "READY"}  # and has no address
            resolver = tf.distribute.cluster_resolver.TPUClusterResolver
            resolver("my-tpu", "zone", "project", service=api).cluster_spec()
        """,
        document="004_1530f51430af0bea.txt",
    ),
    Entry(
        codes.TPU_NOT_READY,
        "The TPU is not ready, or not healthy",
        meaning="According to the Cloud TPU API, its state is not READY or its "
        "health is not HEALTHY.",
        remedy="Wait until it is, or restart it.",
        text="""
            from unittest.mock import MagicMock

            import tpuref as tf

            api = MagicMock()  # as Google's client
            nodes = api.projects().locations().nodes()
            nodes.get().execute.return_value = {"state": "CREATING"}
            resolver = tf.distribute.cluster_resolver.TPUClusterResolver
            resolver("my-tpu", "zone", "project", service=api).cluster_spec()
        """,
        document="004_1530f51430af0bea.txt",
    ),
    Entry(
        codes.UNCLEAR_ANSWER,
        "An answer of Google Cloud is malformed",
        meaning="The answer is not one that the Cloud TPU API or the metadata server "
        "sends.",
        remedy="Check TPU_API_DISCOVERY_URL, discovery_url, GCE_METADATA_HOST and "
        "proxies; an object passed as service= must answer as the API does.",
        text="""
            import tpuref as tf

            resolver = tf.distribute.cluster_resolver.TPUClusterResolver
            resolver("my-tpu", "zone", "project", service=object()).cluster_spec()
        """,
    ),
    Entry(
        codes.NO_ANSWER,
        "There was no answer in time",
        meaning="A service of Google Cloud, or the master of the TPU, could not be "
        "reached within the attempts and the seconds in the message.",
        remedy="Check the network and the address, and that the TPU runs. The "
        "message ends with the last failure.",
        text="""
            import tpuref as tf

            resolver = tf.distribute.cluster_resolver.TPUClusterResolver
            resolver("grpc://localhost:1").num_accelerators()
        """,
        document="004_1530f51430af0bea.txt",
        needs=("grpc",),
    ),
    Entry(
        codes.SEVERAL_TPUS,
        "Several TPUs are given where only one is allowed",
        meaning="tf.distribute's resolver takes one TPU; tf.contrib's takes a list "
        "of names, which cannot contain addresses.",
        remedy="Give one name, or use tf.contrib.cluster_resolver.TPUClusterResolver.",
        text="""
            import tpuref as tf

            resolver = tf.distribute.cluster_resolver.TPUClusterResolver
            resolver(["first-tpu", "second-tpu"])
        """,
        document="004_1530f51430af0bea.txt",
    ),
    Entry(
        codes.NO_CREDENTIALS,
        "There are no credentials for Google Cloud",
        meaning="Google's client found no default credentials on this machine.",
        remedy="Pass credentials= or service=, or set up default credentials (gcloud "
        "auth application-default login).",
        text="""
            import os

            import tpuref as tf

            os.environ["GOOGLE_APPLICATION_CREDENTIALS"] = "/no/such/file"
            resolver = tf.distribute.cluster_resolver.TPUClusterResolver
            resolver("my-tpu", "zone", "project").cluster_spec()
        """,
        needs=("googleapiclient",),
        alone=True,
    ),
    Entry(
        codes.HOSTS_DIFFER,
        "The hosts of the system have different numbers of cores",
        meaning="num_accelerators and strategies need the same number of cores on "
        "every host.",
        remedy="Use a topology whose hosts are alike.",
        text="""
            import tpuref as tf
            from tpuref.interface.cluster_resolver import devices
            from tpuref.interface.cluster_resolver.patience import Patience

            unlike = [f"/job:worker/task:0/device:TPU:{n}" for n in range(2)]
            unlike += ["/job:worker/task:1/device:TPU:0"]
            devices._listed = lambda *ignored: unlike
            devices.cores_per_host("grpc://10.1.2.3:8470", None, Patience())
        """,
        document="004_1530f51430af0bea.txt",
        alone=True,
    ),
    Entry(
        codes.INVALID_TPU_CONFIG,
        "TPU_CONFIG is malformed",
        meaning="The variable TPU_CONFIG must be a JSON object whose values are text.",
        remedy="Fix it or unset it.",
        text="""
            import os

            import tpuref as tf

            os.environ.pop("KUBE_GOOGLE_CLOUD_TPU_ENDPOINTS", None)
            os.environ.pop("TPU_NAME", None)
            os.environ["TPU_CONFIG"] = "tpu-name"
            tf.distribute.cluster_resolver.TPUClusterResolver()
        """,
        alone=True,
    ),
    Entry(
        codes.TPU_ACCESS_DENIED,
        "These credentials give no access to the TPU",
        meaning="The Cloud TPU API answers 401 or 403, or the credentials cannot be "
        "renewed: they are missing, have expired, or may not read the TPUs of the "
        "project. The TPU may exist or not.",
        remedy="Pass credentials= that may read it (the role TPU Viewer is enough) or "
        "log in again, and check name, zone and project.",
        text="""
            from unittest.mock import MagicMock

            import tpuref as tf

            api = MagicMock()  # stands in for Google's client
            get = api.projects().locations().nodes().get
            get().execute.side_effect = PermissionError("HTTP 403")
            resolver = tf.distribute.cluster_resolver.TPUClusterResolver
            resolver("my-tpu", zone="z", project="p", service=api).master()
        """,
        document="004_1530f51430af0bea.txt",
    ),
)
