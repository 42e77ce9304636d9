"""Complex numbers and their parts."""

from typing import Any

import numpy as np

from tpuref.base.arguments import name_or
from tpuref.engine.graph.build import apply_one
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.conversion import cast


def complex(real: Any, imag: Any, name: str | None = None) -> Tensor:
    """Return complex numbers with the given parts.

    float32 gives complex64, float64 complex128.  Both parts are float32 or both
    float64; the shapes broadcast.

    Examples
    --------
    >>> tf.Session().run(tf.complex([1., 2.], [3., 4.]))
    array([1.+3.j, 2.+4.j], dtype=complex64)
    """
    return apply_one("Complex", real, imag, name=name)


def real(input: Any, name: str | None = None) -> Tensor:
    """Return the real part; a real tensor is returned unchanged.

    complex64 gives float32, complex128 float64.

    Examples
    --------
    >>> tf.Session().run(tf.real(tf.complex([1., 2.], 3.)))
    array([1., 2.], dtype=float32)
    """
    x = convert_to_tensor(input)
    return apply_one("Real", x, name=name) if x.dtype.is_complex else x


def imag(input: Any, name: str | None = None) -> Tensor:
    """Return the imaginary part, 0 of the same dtype for a real number; see `real`."""
    return apply_one("Imag", input, name=name)


def conj(x: Any, name: str | None = None) -> Tensor:
    """Return the complex conjugate; a real tensor is returned unchanged.

    The result has the shape and dtype of `x`.
    """
    x = convert_to_tensor(x)
    return apply_one("Conj", x, name=name) if x.dtype.is_complex else x


def angle(input: Any, name: str | None = None) -> Tensor:
    """Return the angle in radians of a complex number; 0 for a real one.

    complex64 gives float32, complex128 float64.  Negative real numbers give 0 too
    (`np.angle` gives pi).

    Examples
    --------
    >>> tf.Session().run(tf.angle(tf.constant([1j, -1.], tf.complex64)))
    array([1.5707964, 3.1415927], dtype=float32)
    """
    value = convert_to_tensor(input)
    op = "Angle" if value.dtype.is_complex else "ZerosLike"
    return apply_one(op, value, name=name_or(name, "Angle"))


def angle_v2(input: Any, name: str | None = None) -> Tensor:
    """Return `angle`, which is pi for negative real numbers since TensorFlow 2."""
    value = convert_to_tensor(input)
    if value.dtype.is_complex or not value.dtype.is_floating:
        return angle(value, name)
    return cast(value < 0, value.dtype) * np.array(np.pi, value.dtype.np)
