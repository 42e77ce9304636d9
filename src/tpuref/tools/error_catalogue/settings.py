"""Settings, packages and names that are not there."""

from __future__ import annotations

from tpuref.base import error_codes as codes
from tpuref.tools.error_catalogue.entry import Entry

ENTRIES = (
    Entry(
        codes.INVALID_SETTING,
        "A setting is invalid",
        meaning="An attribute of tf.config, an environment variable (TPUREF_..., "
        "TPU_CONFIG), a token or max_message_bytes is unknown, out of range, "
        "malformed or contradicts another setting. For several hosts, the "
        "coordinator, the number of hosts and the number of this host belong "
        "together. A token is printable ASCII. JAX must have the devices that "
        "xla_devices asks for before it starts.",
        remedy="Use a value that the message lists, or unset the variable. Variables "
        "are read when tpuref is imported; `tpuref doctor` shows those that are set. "
        "`tpuref launch` sets those for several hosts on one machine.",
        replaces="E002 E069 E078 E261 E269",
    ),
    Entry(
        codes.NOT_INSTALLED,
        "Something must be installed first",
        meaning="An optional package (an extra of tpuref), Graphviz or the compiled "
        "kernels are missing. Cloud TPUs need the extra gcp, servers grpc, "
        "checkpoints and summaries training, paths such as gs:// files, and the "
        "executor on XLA xla.",
        remedy="Install it as the message says, for example `pip install "
        "'tpuref[grpc]'`. Without compiled kernels, set TPUREF_KERNELS to auto or "
        "python: the results are the same, bit for bit.",
        replaces="E003 E005",
    ),
    Entry(
        codes.MISSING_NAME,
        "tpuref does not have this name",
        meaning="A program uses a name that tpuref does not have. The message says "
        "which releases of TensorFlow have it, of 1.8, 1.11, 1.15, 2.4 and 2.21; a "
        "name that none has is probably mistyped. tpuref writes no SavedModel.",
        remedy="Do what the message says. `tpuref port program.py` lists all names "
        "that a program takes from tf, without running it. Instead of a SavedModel, "
        "keep the checkpoint and predict with estimator.predict.",
        replaces="E252",
    ),
    Entry(
        codes.TENSORFLOW_LOADED,
        "The real TensorFlow is already imported",
        meaning="`tpuref run --as-tensorflow` and `pytest --tpu-as-tensorflow` let "
        "`import tensorflow` mean tpuref. They refuse where something has imported "
        "the real TensorFlow before, because a program would then use a part of each.",
        remedy="Ask for tpuref first: before a plugin, sitecustomize or the program "
        "itself imports TensorFlow.",
    ),
)
