"""The gradient rules of all operations, by the module that their records name."""

from collections.abc import Mapping

from tpuref.engine.ops.definition import OpDef
from tpuref.engine.ops.derivatives import (
    arrays,
    decompositions,
    effects,
    elementwise,
    indexing,
    networks,
    products,
    reductions,
    spectra,
)
from tpuref.engine.ops.derivatives.rule import Rule

RULES: Mapping[str, Mapping[str, Rule]] = {
    "arrays": arrays.RULES,
    "decompositions": decompositions.RULES,
    "effects": effects.RULES,
    "elementwise": elementwise.RULES,
    "indexing": indexing.RULES,
    "networks": networks.RULES,
    "products": products.RULES,
    "reductions": reductions.RULES,
    "spectra": spectra.RULES,
}
"""By module of this package and name of the operation, as `OpDef.gradient` says."""


def gradient_of(definition: OpDef) -> Rule | None:
    """Return the gradient rule of an operation, None if it has none."""
    module = definition.gradient
    return None if module is None else RULES[module][definition.name]
