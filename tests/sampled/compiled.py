"""A sampled program in lockstep and compiled by XLA, and in what the two differ."""

import numpy as np

import tpuref as tf
from tpuref.base import error_codes

from .executors import own_system, run

NARROW = {2: 2e-2, 4: 1e-5, 8: 1e-5}
"""The relative tolerance by the bytes of a floating-point number."""


def refused(sample):
    """Return the code with which XLA refuses a program, None if it runs it."""
    try:
        run(sample, "xla", own_system)
    except tf.errors.UnimplementedError as error:
        return error_codes.PATTERN.findall(str(error))[-1].strip("[]")
    return None


def difference(sample, devices=1):
    """Return in what XLA, on so many devices, differs from lockstep."""
    expected = run(sample, "lockstep", own_system)
    with tf.config.override(xla_devices=devices):
        got = run(sample, "xla", own_system)
    if len(expected) != len(got):
        return f"XLA gives {len(got)} values, lockstep {len(expected)}"
    for k, (a, b) in enumerate(zip(expected, got, strict=True)):
        said = _unlike(a, b)
        if said is not None:
            return f"value {k}: {said}: {b!r} from XLA, {a!r} in lockstep"
    return None


def _unlike(expected, got):
    if expected is None or got is None:
        return None if expected is got else "only one is None"
    a, b = np.asarray(expected), np.asarray(got)
    if (a.dtype, a.shape) != (b.dtype, b.shape):
        return "dtype or shape"
    if a.dtype.kind in "biu":
        return None if np.array_equal(a, b) else "integers"
    if not a.size:
        return None
    wide, found = a.astype(np.float64), b.astype(np.float64)
    tolerance = NARROW[a.dtype.itemsize]
    scale = float(np.max(np.abs(wide[np.isfinite(wide)]), initial=0))
    close = np.isclose(found, wide, tolerance, tolerance * scale, equal_nan=True)
    return None if close.all() else "numbers"
