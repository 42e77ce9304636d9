"""Wrong starts and stops of the system."""

from .mutant import Mutant

_FILE = "tpu/system.py"
_SYSTEM = "runtime/system.py"

MUTANTS = (
    Mutant(
        "usable-after-shutdown",
        "a system that was shut down still computes",
        "tf.tpu.shutdown_system/behaviour/stops-running-system",
        _SYSTEM,
        "            self._explicit, self._stopped = False, site\n",
        "            self._explicit, self._stopped = False, None\n",
    ),
    Mutant(
        "not-usable-again",
        "a system cannot be initialised again",
        "tf.tpu.initialize_system/behaviour/system-usable-afterwards",
        _SYSTEM,
        "            self._explicit = False\n            self._start(wanted)\n"
        "            self._explicit, self._stopped = True, None\n",
        "            self._explicit = False\n            self._start(wanted)\n"
        "            self._explicit = True\n",
    ),
    Mutant(
        "building-starts-it",
        "shutdown_system stops nothing",
        "tf.tpu.shutdown_system_dyn/behaviour/same-as-plain",
        _SYSTEM,
        "            self._explicit, self._stopped = False, site\n",
        "            pass\n",
    ),
    Mutant(
        "topology-bytes-cut",
        "the serialised topology lacks its last byte",
        "tf.tpu.initialize_system/returns/serialized-topology",
        "runtime/topology_proto.py",
        "    return _varint(number << 3 | _LENGTH) + _varint(len(payload)) + payload",
        "    return _varint(number << 3 | _LENGTH) + _varint(len(payload)) + "
        "payload[:-1]",
    ),
    Mutant(
        "topology-fields-swapped",
        "hosts and devices per host have each other's field numbers",
        "tf.tpu.initialize_system/returns/serialized-topology",
        "runtime/topology_proto.py",
        "_MESH_SHAPE, _NUM_TASKS, _NUM_DEVICES, _COORDINATES = 1, 2, 3, 4",
        "_MESH_SHAPE, _NUM_TASKS, _NUM_DEVICES, _COORDINATES = 1, 3, 2, 4",
    ),
    Mutant(
        "job-ignored-by-initialize",
        "job does not place the operation",
        "tf.tpu.initialize_system/args:job/places-on-job",
        _FILE,
        '    prefix = "" if job is None else f"/job:{job}"\n',
        '    prefix = ""\n',
    ),
    Mutant(
        "job-ignored-by-shutdown",
        "shutdown_system is not placed on its job",
        "tf.tpu.shutdown_system/args:job/places-on-job",
        _FILE,
        '    prefix = "" if job is None else f"/job:{job}"\n',
        '    prefix = ""\n',
    ),
    Mutant(
        "several-jobs-take-the-first",
        "with several jobs None means the first",
        "tf.tpu.initialize_system/args:job/none-several-jobs-error",
        _SYSTEM,
        "        if job is None and len(self._systems) > 1:\n",
        "        if False:\n",
    ),
    Mutant(
        "several-jobs-take-the-first-at-shutdown",
        "with several jobs shutdown_system stops the first",
        "tf.tpu.shutdown_system/args:job/none-several-jobs-error",
        _SYSTEM,
        "        if job is None and len(self._systems) > 1:\n",
        "        if False:\n",
    ),
    Mutant(
        "embedding-lost",
        "embedding_config is not recorded",
        "tf.tpu.initialize_system/args:embedding_config/proto",
        _FILE,
        "    return bytes(serialize())",
        '    return b""',
    ),
    Mutant(
        "embedding-by-default",
        "without embedding_config there are tables",
        "tf.tpu.initialize_system/args:embedding_config/none-no-embeddings",
        _FILE,
        '    if embedding_config is None:\n        return b""\n',
        '    if embedding_config is None:\n        return b"x"\n',
    ),
    Mutant(
        "unevaluated-topology-accepted",
        "an assignment can be made of a topology that was not evaluated",
        "tf.tpu.initialize_system/returns/evaluate-before-use",
        "tpu/device_assignment.py",
        "    raise TopologyTypeError(\n",
        "    return Topology.for_cores(4)\n    raise TopologyTypeError(\n",
    ),
    Mutant(
        "shutdown-gives-a-tensor",
        "shutdown_system returns a tensor",
        "tf.tpu.shutdown_system/returns/operation",
        _FILE,
        '        return add_operation(REGISTRY["ShutdownDistributedTPU"], (), attrs, '
        "None)\n",
        '        add_operation(REGISTRY["ShutdownDistributedTPU"], (), attrs, None)\n'
        '        return apply("ReplicaId")\n',
    ),
    Mutant(
        "initialize-parameters-swapped",
        "job stands before embedding_config",
        "tf.tpu.initialize_system/signature/parameter-order",
        _FILE,
        "def initialize_system(embedding_config: Any = None, job: str | None = None)",
        "def initialize_system(job: str | None = None, embedding_config: Any = None)",
    ),
)
