"""All rules by the names of the operations; `OpDef.xla` names the module of each."""

from tpuref.engine.runtime.xla.rules import (
    Check,
    Lower,
    Rule,
    arrays,
    control,
    elementwise,
    images,
    indexing,
    replicas,
    segments,
    sorting,
    sums,
    tensor_arrays,
    variables,
)

RULES: dict[str, Rule] = {
    **elementwise.RULES,
    **arrays.RULES,
    **indexing.RULES,
    **tensor_arrays.RULES,
    **sorting.RULES,
    **images.RULES,
    **sums.RULES,
    **segments.RULES,
}

CHECKS: dict[str, Check] = {
    **elementwise.CHECKS,
    **indexing.CHECKS,
    **tensor_arrays.CHECKS,
    **segments.CHECKS,
}

LOWERINGS: dict[str, Lower] = {
    **control.LOWERINGS,
    **variables.LOWERINGS,
    **replicas.LOWERINGS,
}
