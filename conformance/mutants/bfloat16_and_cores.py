"""Wrong bfloat16 scopes, core names and assignments."""

from .mutant import Mutant

_BFLOAT16 = "tpu/bfloat16.py"

MUTANTS = (
    Mutant(
        "stores-bfloat16",
        "variables are kept as bfloat16",
        "tf.tpu.bfloat16_scope/behaviour/custom-getter-stores-float32",
        _BFLOAT16,
        '    kwargs["dtype"] = float32\n',
        '    kwargs["dtype"] = bfloat16\n',
    ),
    Mutant(
        "reads-float32",
        "a variable asked for as bfloat16 is read as float32",
        "tf.tpu.bfloat16_scope/behaviour/get-variable-reads-bfloat16",
        _BFLOAT16,
        "dtype=bfloat16.name, name=",
        "dtype=float32.name, name=",
    ),
    Mutant(
        "casts-every-variable",
        "variables of other types are cast as well",
        "tf.tpu.bfloat16_scope/behaviour/float32-request-untouched",
        _BFLOAT16,
        '    if as_dtype(kwargs["dtype"]) != bfloat16:\n'
        "        return getter(name, *args, **kwargs)\n",
        "",
    ),
    Mutant(
        "scope-not-restored",
        "the scope goes on after its block",
        "tf.tpu.bfloat16_scope/behaviour/ends-with-block",
        "functions/variable_scope.py",
        "        finally:\n            graph.variable_scope = outer\n",
        "        finally:\n            pass\n",
    ),
    Mutant(
        "scope-yields-nothing",
        "the scope is no context manager",
        "tf.tpu.bfloat16_scope/returns/context-manager",
        _BFLOAT16,
        "@contextlib.contextmanager\n",
        "",
    ),
    Mutant(
        "core-of-another-name",
        "core names another device type",
        "tf.tpu.core/returns/device-name-string",
        "tpu/cores.py",
        '    return f"device:{REPLICATED_CORE}:{num}"',
        '    return f"device:TPU:{num}"',
    ),
    Mutant(
        "core-off-by-one",
        "core(n) names core n + 1",
        "tf.tpu.core/args:num/virtual-core-within-replica",
        "tpu/cores.py",
        '    return f"device:{REPLICATED_CORE}:{num}"',
        '    return f"device:{REPLICATED_CORE}:{num + 1}"',
    ),
    Mutant(
        "core-dyn-differs",
        "core_dyn always names core 0",
        "tf.tpu.core_dyn/returns/same-as-plain",
        "tpu/cores.py",
        "core_dyn = core\n",
        "def core_dyn(num: int) -> str:\n    return core(0)\n",
    ),
    Mutant(
        "assignment-checks-nothing",
        "two replicas may share a core",
        "tf.tpu.experimental.DeviceAssignment/name/exists",
        "tpu/device_assignment.py",
        "        return len(self._core_assignment)\n",
        "        return len(self._core_assignment) + 1\n",
    ),
)
