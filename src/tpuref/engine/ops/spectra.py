"""Fourier transforms of complex tensors over their last axes."""

from typing import Any

from tpuref.base.spec import TensorSpec
from tpuref.engine.ops.broadcasting import COMPLEX, require_kind, require_rank_at_least
from tpuref.engine.ops.definition import OpDef, Operand
from tpuref.engine.ops.meaning import Array


def _infer(x: Operand, *, rank: int, inverse: bool = False) -> TensorSpec:
    require_kind(x, COMPLEX)
    return TensorSpec(require_rank_at_least(x, rank), x.dtype)


def _transform(xp: Any, x: Array, *, rank: int, inverse: bool = False) -> Array:
    transform = xp.fft.ifftn if inverse else xp.fft.fftn
    spectrum: Array = transform(x, axes=tuple(range(-rank, 0))).astype(
        x.dtype, copy=False
    )
    return spectrum


OPERATIONS: tuple[OpDef, ...] = (
    OpDef("FFT", _infer, meaning=_transform, gradient="spectra"),
)
