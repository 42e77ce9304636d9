"""Gradients of Fourier transforms."""

from tpuref.engine.ops.derivatives.rule import Applied, Apply, Rule, Tensor


def _transform(apply: Apply, op: Applied, dy: Tensor) -> Tensor:
    """Return the adjoint: the inverse transform, times the number of elements."""
    rank, inverse = op.attrs["rank"], op.attrs["inverse"]
    back = apply("FFT", dy, rank=rank, inverse=not inverse)
    sizes = apply("Shape", op.inputs[0], out_type="int32")[-rank:]
    count = apply(
        "Cast", apply("Prod", sizes, axis=(0,), keepdims=False), dtype=dy.dtype.name
    )
    return back / count if inverse else back * count


RULES: dict[str, Rule] = {"FFT": _transform}
