"""Batch normalization."""

from collections.abc import Mapping, Sequence
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.dtypes import as_dtype, bfloat16, float16, float32
from tpuref.base.shapes import as_shape
from tpuref.engine.graph.aggregation import VariableAggregation, VariableSynchronization
from tpuref.engine.graph.default import executing_eagerly
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.arguments import static_integers
from tpuref.interface.functions.arithmetic import maximum, minimum
from tpuref.interface.functions.conversion import cast
from tpuref.interface.functions.creation import ones, zeros
from tpuref.interface.functions.exponentials import sqrt
from tpuref.interface.functions.identity import stop_gradient
from tpuref.interface.functions.normalization import batch_normalization as normalized
from tpuref.interface.functions.normalization import fused_batch_norm, moments
from tpuref.interface.functions.reshaping import reshape
from tpuref.interface.functions.scopes import name_scope
from tpuref.interface.layers.function import function_of
from tpuref.interface.layers.layer import Layer
from tpuref.interface.layers.named import initializer_of
from tpuref.interface.layers.training import chosen, known_training


class BatchNormalization(Layer):
    """Inputs with mean 0 and deviation 1 over a batch, then scaled and shifted.

    While training, the moments are those of the batch, and operations in the collection
    ``UPDATE_OPS`` keep moving averages of them; a program runs these beside its
    training step.  Otherwise the moments are the moving averages.  Each replica uses
    the moments of its own part of a batch; a subclass changes that with its own
    ``_moments(inputs, axes, keep_dims)``, which returns mean and variance.  It raises
    ValueError if an axis does not exist or has no static size, an argument is not
    supported, or `fused` is true and the input is no batch of images.

    Parameters
    ----------
    axis
        The axis of the features, or several: each has moments of its own.
    momentum
        The fraction of a moving average that an update keeps.
    epsilon
        A small number added to the variance.
    center, scale
        Whether there is an offset ``beta``, and a factor ``gamma``.
    beta_initializer, gamma_initializer, moving_mean_initializer, \
moving_variance_initializer
        Initializers or their names.
    beta_regularizer, gamma_regularizer, beta_constraint, gamma_constraint
        As for `tf.layers.Dense`.
    fused
        Whether the moving average is of the variance with Bessel's correction, as that
        of TensorFlow's fused kernel; by default for images, of rank 4.
    renorm, renorm_clipping, renorm_momentum
        Whether training corrects the moments of a batch by their averages (Ioffe,
        2017); the bounds ``rmin``, ``rmax`` and ``dmax`` of the correction; and the
        momentum of these averages.
    virtual_batch_size, adjustment
        Not supported; must be None.
    trainable, name, **kwargs
        As for `tf.layers.Layer`.

    Examples
    --------
    >>> x = tf.constant([[1.0], [3.0]])
    >>> y = tf.layers.BatchNormalization(epsilon=0.0)(x, training=True)
    >>> updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
    >>> with tf.Session() as sess:
    ...     sess.run(tf.global_variables_initializer())
    ...     sess.run([y, updates])[0].tolist()
    [[-1.0], [1.0]]
    """

    def __init__(
        self,
        axis: Any = -1,
        momentum: float = 0.99,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        moving_mean_initializer: Any = "zeros",
        moving_variance_initializer: Any = "ones",
        beta_regularizer: Any = None,
        gamma_regularizer: Any = None,
        beta_constraint: Any = None,
        gamma_constraint: Any = None,
        renorm: bool = False,
        renorm_clipping: Any = None,
        renorm_momentum: float = 0.99,
        fused: bool | None = None,
        trainable: bool = True,
        virtual_batch_size: int | None = None,
        adjustment: Any = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(trainable, name, **kwargs)
        self.renorm, self.renorm_momentum = renorm, renorm_momentum
        clipping = renorm_clipping if renorm and renorm_clipping is not None else {}
        known = isinstance(clipping, Mapping)
        if not (known and clipping.keys() <= {"rmin", "rmax", "dmax"}):
            raise self._wrong(
                "renorm_clipping: expected a dictionary with the keys rmin, rmax and "
                f"dmax, got {renorm_clipping!r}"
            )
        self.renorm_clipping = dict(clipping)
        if renorm and fused:
            raise self._wrong("expected fused=False with renorm=True")
        self._refuse("virtual_batch_size", virtual_batch_size, None)
        self._refuse("adjustment", adjustment, None)
        self.axis = axis
        self.momentum, self.epsilon = momentum, epsilon
        self.center, self.scale, self.fused = center, scale, fused
        self.beta_initializer = initializer_of(beta_initializer)
        self.gamma_initializer = initializer_of(gamma_initializer)
        self.moving_mean_initializer = initializer_of(moving_mean_initializer)
        self.moving_variance_initializer = initializer_of(moving_variance_initializer)
        self.beta_regularizer = beta_regularizer
        self.gamma_regularizer = gamma_regularizer
        self.beta_constraint = beta_constraint
        self.gamma_constraint = gamma_constraint

    def _refuse(self, argument: str, value: Any, only: Any) -> None:
        if value not in (only, None):
            raise self._wrong(f"{argument}: expected {only}, the only value supported")

    def _wrong(self, message: str) -> Exception:
        return codes.WRONG_ARGUMENT_TYPE.value_error(
            f"tf.layers.batch_normalization: {self.name}: {message}"
        )

    def build(self, input_shape: Any) -> None:
        """Create offset, factor and moving averages."""
        input_shape = as_shape(input_shape)
        self._choose_axes(input_shape)
        sizes = input_shape.as_list()
        own = [sizes[axis] for axis in self._axes]
        if None in own:
            raise self._wrong(
                f"axis {self.axis} of shape {input_shape} has an unknown size; give it "
                "with set_shape"
            )
        several = len(own) > 1
        shape = [n if k in self._axes else 1 for k, n in enumerate(sizes)]
        self._parameter_shape = shape if several else own
        self.gamma = self.beta = None
        if self.scale:
            self.gamma = self._parameter(
                "gamma",
                self.gamma_initializer,
                regularizer=self.gamma_regularizer,
                constraint=self.gamma_constraint,
            )
        if self.center:
            self.beta = self._parameter(
                "beta",
                self.beta_initializer,
                regularizer=self.beta_regularizer,
                constraint=self.beta_constraint,
            )
        self.moving_mean = self._average("moving_mean", self.moving_mean_initializer)
        self.moving_variance = self._average(
            "moving_variance", self.moving_variance_initializer
        )
        if self.renorm:
            names = "moving_stddev", "renorm_mean", "renorm_stddev"
            mean = self.moving_mean_initializer
            initializers = self._initial_stddev, mean, self._initial_stddev
            self.moving_stddev, self.renorm_mean, self.renorm_stddev = map(
                self._average, names, initializers
            )
        super().build(input_shape)

    def _initial_stddev(self, *args: Any, **kwargs: Any) -> Tensor:
        return sqrt(self.moving_variance_initializer(*args, **kwargs))

    def _choose_axes(self, input_shape: Any) -> None:
        rank = input_shape.rank
        axes = static_integers(self.axis, "tf.layers.batch_normalization: axis")
        if rank is None or not all(-rank <= axis < rank for axis in axes):
            raise self._wrong(f"there is no axis {self.axis} in shape {input_shape}")
        self._axes = [axis % rank for axis in axes]
        possible = rank == 4 and self._axes in ([1], [3]) and not self.renorm
        if self.fused and not possible:
            raise self._wrong(
                "fused=True takes images of rank 4 with features on axis 1 or 3, got "
                f"shape {input_shape} and axis {self.axis}; use fused=False"
            )
        self._is_fused = possible if self.fused is None else bool(self.fused)

    def _parameter(self, name: str, initializer: Any, **more: Any) -> Any:
        narrow = self._dtype in (float16, bfloat16)
        return self.add_weight(
            name,
            self._parameter_shape,
            dtype=float32 if narrow else self._dtype,
            initializer=initializer,
            **more,
        )

    def _average(self, name: str, initializer: Any) -> Any:
        return self._parameter(
            name,
            initializer,
            trainable=False,
            synchronization=VariableSynchronization.ON_READ,
            aggregation=VariableAggregation.MEAN,
        )

    def call(self, inputs: Any, training: Any = False) -> Tensor:
        """Return the normalized inputs; `training` is a bool or a tensor."""
        if self._is_fused:
            outputs, mean, variance = self._fused_outputs(inputs, training)
        else:
            mean, variance = self._used_moments(inputs, training)
            factor, offset = self.gamma, self.beta
            if self.renorm and known_training(training) is not False:
                factor, offset = self._correct_moments(mean, variance, training)
            outputs = self._normalize(inputs, mean, variance, factor, offset)
        if known_training(training) is not False:
            self._update(self.moving_mean, mean, training)
            if self.renorm:
                self._update_stddev(mean, variance, training)
            else:
                self._update(self.moving_variance, variance, training)
        outputs.set_shape(inputs.shape)
        return cast(outputs, inputs.dtype)

    def _fused_outputs(self, inputs: Any, training: Any) -> Any:
        dtype = as_dtype(self.moving_mean.dtype)
        gamma = ones(self._parameter_shape, dtype) if self.gamma is None else self.gamma
        beta = zeros(self._parameter_shape, dtype) if self.beta is None else self.beta

        def outputs(**moments: Any) -> Any:
            return fused_batch_norm(
                inputs,
                gamma,
                beta,
                epsilon=self.epsilon,
                data_format="NCHW" if self._axes == [1] else "NHWC",
                is_training=not moments,
                **moments,
            )

        def from_averages() -> Any:
            return outputs(mean=self.moving_mean, variance=self.moving_variance)

        return chosen(training, outputs, from_averages)

    def _used_moments(self, inputs: Any, training: Any) -> tuple[Any, Any]:
        averages = self.moving_mean.value(), self.moving_variance.value()
        if known_training(training) is False:
            return averages
        axes = [k for k in range(inputs.shape.rank) if k not in self._axes]
        wide = cast(inputs, averages[0].dtype)
        of_batch = self._moments(wide, axes, keep_dims=len(self._axes) > 1)
        if known_training(training):
            return of_batch
        mean, variance = chosen(training, lambda: of_batch, lambda: averages)
        return mean, variance

    def _moments(
        self, inputs: Any, reduction_axes: Sequence[int], keep_dims: bool
    ) -> tuple[Any, Any]:
        """Return mean and variance of a batch."""
        return moments(inputs, reduction_axes, keep_dims=keep_dims)

    def _correct_moments(
        self, mean: Any, variance: Any, training: Any
    ) -> tuple[Any, Any]:
        """Return factor and offset after the correction, which has no gradient."""
        average = maximum(self.renorm_stddev.value(), self.epsilon**0.5)
        ratio = sqrt(variance + self.epsilon) / average
        shift = (mean - self.renorm_mean.value()) / average
        bounds = self.renorm_clipping
        if "rmin" in bounds:
            ratio = maximum(ratio, bounds["rmin"])
        if "rmax" in bounds:
            ratio = minimum(ratio, bounds["rmax"])
        if "dmax" in bounds:
            shift = minimum(maximum(shift, -bounds["dmax"]), bounds["dmax"])
        ratio = stop_gradient(chosen(training, lambda: ratio, lambda: ratio * 0.0 + 1))
        shift = stop_gradient(chosen(training, lambda: shift, lambda: shift * 0.0))
        if self.gamma is not None:
            ratio, shift = ratio * self.gamma, shift * self.gamma
        return ratio, shift if self.beta is None else shift + self.beta

    def _update_stddev(self, mean: Any, variance: Any, training: Any) -> None:
        """Move the averages of renormalization, and the variance that they give."""
        stddev = sqrt(variance + self.epsilon)
        self._update(self.renorm_mean, mean, training, self.renorm_momentum)
        self._update(self.renorm_stddev, stddev, training, self.renorm_momentum)
        moved = self._update(self.moving_stddev, stddev, training)
        new = maximum(moved * moved - self.epsilon, 0.0)
        kept = chosen(training, lambda: new, lambda: self.moving_variance.value())
        self.add_update(self.moving_variance.assign(kept))

    def _normalize(
        self, inputs: Any, mean: Any, variance: Any, factor: Any, offset: Any
    ) -> Tensor:
        """Normalize in the dtype of the moments."""
        rank = inputs.shape.rank
        own = inputs.shape.as_list()
        shape = [own[k] if k in self._axes else 1 for k in range(rank)]
        simple = self._axes == [rank - 1]

        def along(value: Any) -> Any:
            return value if value is None or simple else reshape(value, shape)

        return normalized(
            cast(inputs, mean.dtype),
            along(mean),
            along(variance),
            along(offset),
            along(factor),
            self.epsilon,
        )

    def _update(
        self, average: Any, value: Any, training: Any, momentum: float | None = None
    ) -> Any:
        """Move an average, unless a tensor says that the layer does not train."""
        moved = self.momentum if momentum is None else momentum
        keep = chosen(training, lambda: moved, lambda: 1.0)
        with name_scope("AssignMovingAvg") as scope:
            distance = (average.value() - cast(value, average.dtype)) * (1.0 - keep)
            name = None if executing_eagerly() else scope
            update = average.assign_sub(distance, name=name)
        self.add_update(update)
        return update


batch_normalization = function_of(
    BatchNormalization,
    "batch_normalization",
    """>>> y = tf.layers.batch_normalization(tf.ones([2, 3]), training=True)
    >>> [v.name for v in tf.global_variables()][2:]
    ['batch_normalization/moving_mean:0', 'batch_normalization/moving_variance:0']""",
    last=(
        *("training", "trainable", "name", "reuse"),
        *("renorm", "renorm_clipping", "renorm_momentum"),
        *("fused", "virtual_batch_size", "adjustment"),
    ),
)
