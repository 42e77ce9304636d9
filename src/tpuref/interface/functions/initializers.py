"""Initializers: the initial values of variables."""

import math
from collections.abc import Sequence
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.arguments import instance_of
from tpuref.base.dtypes import DType, as_dtype, float32
from tpuref.base.shapes import as_shape
from tpuref.engine.graph.build import apply
from tpuref.engine.graph.convert import constant
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.arguments import static_integers, static_number
from tpuref.interface.functions.arithmetic import multiply
from tpuref.interface.functions.creation import eye, ones, zeros
from tpuref.interface.functions.random import (
    random_normal,
    random_uniform,
    truncated_normal,
)
from tpuref.interface.functions.reshaping import reshape, transpose


class Initializer:
    """Returns the initial value of a variable for a shape and element type."""

    dtype: DType = float32

    def __call__(
        self, shape: Any, dtype: Any = None, partition_info: Any = None
    ) -> Tensor:
        """Return a tensor of `shape`."""
        return self._value(
            _sizes(type(self).__name__, shape),
            self.dtype if dtype is None else as_dtype(dtype),
        )

    def _value(self, shape: Sequence[int], dtype: DType) -> Tensor:
        raise NotImplementedError


def _sizes(initializer: str, shape: Any) -> list[int]:
    if isinstance(shape, Tensor):
        return list(static_integers(shape, f"{initializer}: shape"))
    known = as_shape(shape)
    if not known.is_fully_defined():
        raise codes.UNKNOWN_SHAPE.value_error(
            f"{initializer}: shape must be fully known, got {known}"
        )
    return [int(size or 0) for size in known.as_list()]


class Zeros(Initializer):
    """All zeros."""

    def __init__(self, dtype: Any = float32) -> None:
        self.dtype = as_dtype(dtype)

    def _value(self, shape: Sequence[int], dtype: DType) -> Tensor:
        return zeros(shape, dtype)


class Ones(Initializer):
    """All ones."""

    def __init__(self, dtype: Any = float32) -> None:
        self.dtype = as_dtype(dtype)

    def _value(self, shape: Sequence[int], dtype: DType) -> Tensor:
        return ones(shape, dtype)


class Constant(Initializer):
    """A given number, or given values that fill the shape; see `tf.constant`."""

    def __init__(
        self, value: Any = 0, dtype: Any = float32, verify_shape: bool = False
    ) -> None:
        self.value = value
        self.verify_shape = verify_shape
        self.dtype = as_dtype(dtype)

    def _value(self, shape: Sequence[int], dtype: DType) -> Tensor:
        return constant(self.value, dtype, shape, verify_shape=self.verify_shape)


class RandomUniform(Initializer):
    """Uniformly distributed between two bounds, by default 0 and 1."""

    def __init__(
        self,
        minval: float = 0.0,
        maxval: float | None = None,
        seed: int | None = None,
        dtype: Any = float32,
    ) -> None:
        self.minval, self.maxval, self.seed = minval, maxval, seed
        self.dtype = as_dtype(dtype)

    def _value(self, shape: Sequence[int], dtype: DType) -> Tensor:
        return random_uniform(shape, self.minval, self.maxval, dtype, seed=self.seed)


class RandomNormal(Initializer):
    """Normally distributed."""

    def __init__(
        self,
        mean: float = 0.0,
        stddev: float = 1.0,
        seed: int | None = None,
        dtype: Any = float32,
    ) -> None:
        self.mean, self.stddev, self.seed = mean, stddev, seed
        self.dtype = as_dtype(dtype)

    def _value(self, shape: Sequence[int], dtype: DType) -> Tensor:
        return random_normal(shape, self.mean, self.stddev, dtype, seed=self.seed)


class TruncatedNormal(RandomNormal):
    """Normally distributed, within two standard deviations of the mean."""

    def _value(self, shape: Sequence[int], dtype: DType) -> Tensor:
        return truncated_normal(shape, self.mean, self.stddev, dtype, seed=self.seed)


class VarianceScaling(Initializer):
    """Random, with a variance scaled by the number of inputs or outputs.

    `scale` is a factor of the variance.  `mode` is ``"fan_in"``, ``"fan_out"`` or
    ``"fan_avg"``.  `distribution` is ``"truncated_normal"`` (also ``"normal"``),
    ``"untruncated_normal"`` or ``"uniform"``.
    """

    def __init__(
        self,
        scale: float = 1.0,
        mode: str = "fan_in",
        distribution: str = "truncated_normal",
        seed: int | None = None,
        dtype: Any = float32,
    ) -> None:
        scale = static_number(scale, "VarianceScaling: scale")
        if scale <= 0:
            raise ValueError(f"VarianceScaling: scale must be above 0, got {scale}")
        if mode not in ("fan_in", "fan_out", "fan_avg"):
            raise ValueError(f"VarianceScaling: unknown mode {mode!r}")
        known = ("normal", "truncated_normal", "untruncated_normal", "uniform")
        if distribution not in known:
            raise ValueError(f"VarianceScaling: unknown distribution {distribution!r}")
        self.scale, self.mode, self.distribution = scale, mode, distribution
        self.seed, self.dtype = seed, as_dtype(dtype)

    def _value(self, shape: Sequence[int], dtype: DType) -> Tensor:
        fan_in, fan_out = fans(shape)
        fan = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2}
        variance = self.scale / max(1.0, fan[self.mode])
        if self.distribution == "uniform":
            limit = math.sqrt(3.0 * variance)
            return random_uniform(shape, -limit, limit, dtype, seed=self.seed)
        if self.distribution == "untruncated_normal":
            return random_normal(shape, 0.0, math.sqrt(variance), dtype, seed=self.seed)
        # Truncating at two deviations narrows a normal distribution by this factor.
        deviation = math.sqrt(variance) / 0.87962566103423978
        return truncated_normal(shape, 0.0, deviation, dtype, seed=self.seed)


class GlorotUniform(VarianceScaling):
    """Uniform, scaled by the average of inputs and outputs."""

    def __init__(self, seed: int | None = None, dtype: Any = float32) -> None:
        super().__init__(1.0, "fan_avg", "uniform", seed, dtype)


class GlorotNormal(VarianceScaling):
    """Truncated normal, scaled by the average of inputs and outputs."""

    def __init__(self, seed: int | None = None, dtype: Any = float32) -> None:
        super().__init__(1.0, "fan_avg", "truncated_normal", seed, dtype)


def he_normal(seed: int | None = None) -> VarianceScaling:
    """Truncated normal with variance 2 divided by the inputs (He et al., 2015)."""
    return VarianceScaling(2.0, "fan_in", "truncated_normal", seed)


def he_uniform(seed: int | None = None) -> VarianceScaling:
    """Uniform with variance 2 divided by the inputs (He et al., 2015)."""
    return VarianceScaling(2.0, "fan_in", "uniform", seed)


def lecun_normal(seed: int | None = None) -> VarianceScaling:
    """Truncated normal with variance 1 divided by the inputs."""
    return VarianceScaling(1.0, "fan_in", "truncated_normal", seed)


def lecun_uniform(seed: int | None = None) -> VarianceScaling:
    """Uniform with variance 1 divided by the inputs."""
    return VarianceScaling(1.0, "fan_in", "uniform", seed)


def xavier_initializer(
    uniform: bool = True, seed: int | None = None, dtype: Any = float32
) -> VarianceScaling:
    """Uniform or truncated normal, scaled as Glorot and Bengio (2010) say."""
    return GlorotUniform(seed, dtype) if uniform else GlorotNormal(seed, dtype)


def scaled_initializer(
    factor: float = 2.0,
    mode: str = "FAN_IN",
    uniform: bool = False,
    seed: int | None = None,
    dtype: Any = float32,
) -> VarianceScaling:
    """Random, with variance `factor` divided by inputs, outputs or their mean.

    `mode` is ``"FAN_IN"``, ``"FAN_OUT"`` or ``"FAN_AVG"``.  `uniform` says whether it
    is uniform or truncated normal.
    """
    function = "tf.contrib.layers.variance_scaling_initializer"
    mode = instance_of(str, f"{function}: mode", "a string", mode)
    kind = "uniform" if uniform else "truncated_normal"
    return VarianceScaling(factor, mode.lower(), kind, seed, dtype)


class Identity(Initializer):
    """A multiple of the identity matrix."""

    def __init__(self, gain: float = 1.0, dtype: Any = float32) -> None:
        self.gain, self.dtype = gain, as_dtype(dtype)

    def _value(self, shape: Sequence[int], dtype: DType) -> Tensor:
        if len(shape) != 2:
            raise ValueError(f"Identity: expected the shape of a matrix, got {shape}")
        return multiply(eye(shape[0], shape[1], dtype=dtype), self.gain)


class Orthogonal(Initializer):
    """A random matrix with orthonormal rows or columns; all axes but one are rows."""

    def __init__(
        self, gain: float = 1.0, seed: int | None = None, dtype: Any = float32
    ) -> None:
        self.gain, self.seed, self.dtype = gain, seed, as_dtype(dtype)

    def _value(self, shape: Sequence[int], dtype: DType) -> Tensor:
        if len(shape) < 2:
            raise ValueError(f"Orthogonal: expected rank 2 or more, got {shape}")
        rows, columns = math.prod(shape[:-1]), shape[-1]
        tall = [max(rows, columns), min(rows, columns)]
        orthonormal = apply(
            "Orthonormal", random_normal(tall, dtype=dtype, seed=self.seed)
        )
        matrix = orthonormal if rows >= columns else transpose(orthonormal)
        return multiply(reshape(matrix, shape), self.gain)


def fans(shape: Sequence[int]) -> tuple[float, float]:
    """Return the number of inputs and outputs of a weight of the given shape."""
    if not shape:
        return 1.0, 1.0
    if len(shape) == 1:
        return float(shape[0]), float(shape[0])
    field = math.prod(shape[:-2])
    return float(field * shape[-2]), float(field * shape[-1])


class ConstantV2(Constant):
    """`Constant`, with the parameters of TensorFlow 2."""

    def __init__(self, value: Any = 0, support_partition: bool = False) -> None:
        super().__init__(value)


class RandomNormalV2(RandomNormal):
    """`RandomNormal`, with the parameters and defaults of TensorFlow 2."""

    def __init__(
        self, mean: float = 0.0, stddev: float = 0.05, seed: int | None = None
    ) -> None:
        super().__init__(mean, stddev, seed)


class TruncatedNormalV2(TruncatedNormal):
    """`TruncatedNormal`, with the parameters and defaults of TensorFlow 2."""

    def __init__(
        self, mean: float = 0.0, stddev: float = 0.05, seed: int | None = None
    ) -> None:
        super().__init__(mean, stddev, seed)


class RandomUniformV2(RandomUniform):
    """`RandomUniform`, with the parameters and defaults of TensorFlow 2."""

    def __init__(
        self, minval: float = -0.05, maxval: float = 0.05, seed: int | None = None
    ) -> None:
        super().__init__(minval, maxval, seed)
