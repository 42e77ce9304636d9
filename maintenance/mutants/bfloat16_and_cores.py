"""Wrong bfloat16 scopes, core names and assignments."""

from .mutant import Mutant

MUTANTS = (
    Mutant(
        "stores-bfloat16",
        "variables are kept as bfloat16",
        "tf.tpu.bfloat16_scope/behaviour/custom-getter-stores-float32",
        "_read_as_bfloat16",
        "float32",
        "bfloat16",
    ),
    Mutant(
        "reads-float32",
        "a variable asked for as bfloat16 is read as float32",
        "tf.tpu.bfloat16_scope/behaviour/get-variable-reads-bfloat16",
        "_read_as_bfloat16",
        "bfloat16.name",
        "float32.name",
    ),
    Mutant(
        "casts-every-variable",
        "variables of other types are cast as well",
        "tf.tpu.bfloat16_scope/behaviour/float32-request-untouched",
        "_read_as_bfloat16",
        'as_dtype(kwargs["dtype"]) != bfloat16',
        "False",
    ),
    Mutant(
        "scope-not-restored",
        "the scope goes on after its block",
        "tf.tpu.bfloat16_scope/behaviour/ends-with-block",
        "variable_scope",
        "graph.variable_scope = outer",
        "pass",
    ),
    Mutant(
        "scope-yields-nothing",
        "the scope is not a context manager",
        "tf.tpu.bfloat16_scope/returns/context-manager",
        "bfloat16_scope",
        "@contextlib.contextmanager",
        "",
    ),
    Mutant(
        "core-of-another-name",
        "core names another device type",
        "tf.tpu.core/returns/device-name-string",
        "core",
        'f"device:{REPLICATED_CORE}:{num}"',
        'f"device:TPU:{num}"',
    ),
    Mutant(
        "core-off-by-one",
        "core(n) names core n + 1",
        "tf.tpu.core/args:num/virtual-core-within-replica",
        "core",
        'f"device:{REPLICATED_CORE}:{num}"',
        'f"device:{REPLICATED_CORE}:{num + 1}"',
    ),
    Mutant(
        "core-dyn-differs",
        "core_dyn always names core 0",
        "tf.tpu.core_dyn/returns/same-as-plain",
        "core_dyn",
        "core_dyn = core",
        "core_dyn = lambda num: core(0)",
    ),
    Mutant(
        "assignment-checks-nothing",
        "two replicas may share a core",
        "tf.tpu.experimental.DeviceAssignment/name/exists",
        "DeviceAssignment.num_replicas",
        "len(self._core_assignment)",
        "len(self._core_assignment) + 1",
    ),
)
