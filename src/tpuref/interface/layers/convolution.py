"""Convolutional layers."""

from typing import Any

from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.extents import shape
from tpuref.interface.functions.normalization import bias_add
from tpuref.interface.functions.repetition import pad
from tpuref.interface.functions.windows import conv1d as convolve_sequences
from tpuref.interface.functions.windows import conv2d as convolve
from tpuref.interface.functions.windows import conv2d_transpose as convolve_back
from tpuref.interface.functions.windows import separable_conv2d as convolve_separably
from tpuref.interface.layers.formats import (
    channels_lead,
    channels_of,
    layout,
    padding_of,
    sizes,
    whole,
)
from tpuref.interface.layers.function import function_of
from tpuref.interface.layers.layer import Layer
from tpuref.interface.layers.named import activation_of, initializer_of


class _Convolution(Layer):
    """The base of convolutional layers: windows, kernel, bias and activation."""

    rank: int
    paddings: tuple[str, ...] = ("same", "valid")
    filters: int
    activation: Any

    def _set_windows(
        self, size: Any, strides: Any, padding: str, data_format: str, rate: Any
    ) -> None:
        rank, own = self.rank, self.name
        self.kernel_size = sizes(own, "kernel_size", size, rank)
        self.strides = sizes(own, "strides", strides, rank)
        self.dilation_rate = sizes(own, "dilation_rate", rate, rank)
        self.padding = padding_of(own, padding, self.paddings)
        self.lead = channels_lead(own, data_format)
        self.layout = layout(self.lead, rank)

    def _set_bias(
        self, use_bias: bool, initializer: Any, regularizer: Any, constraint: Any
    ) -> None:
        self.use_bias = use_bias
        self.bias_initializer = initializer_of(initializer)
        self.bias_regularizer = regularizer
        self.bias_constraint = constraint

    def build(self, input_shape: Any) -> None:
        """Create kernel and bias."""
        self._build_kernel(channels_of(self.name, input_shape, self.lead, self.rank))
        self.bias = None
        if self.use_bias:
            self.bias = self.add_weight(
                "bias",
                [self.filters],
                initializer=self.bias_initializer,
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
            )
        super().build(input_shape)

    def _build_kernel(self, channels: int) -> None:
        raise NotImplementedError

    def call(self, inputs: Any) -> Tensor:
        """Return the output for a batch of images or sequences."""
        outputs = self._convolve(inputs)
        if self.bias is not None:
            outputs = bias_add(outputs, self.bias, "NCHW" if self.lead else "NHWC")
        return outputs if self.activation is None else self.activation(outputs)

    def _convolve(self, inputs: Any) -> Tensor:
        raise NotImplementedError


class _WithKernel(_Convolution):
    """A convolutional layer with one kernel."""

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str = "channels_last",
        dilation_rate: Any = 1,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = None,
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            trainable, name, activity_regularizer=activity_regularizer, **kwargs
        )
        self.filters = whole(self.name, "filters", filters)
        self._set_windows(kernel_size, strides, padding, data_format, dilation_rate)
        self.activation = activation_of(activation)
        self._set_bias(use_bias, bias_initializer, bias_regularizer, bias_constraint)
        self.kernel_initializer = initializer_of(kernel_initializer)
        self.kernel_regularizer = kernel_regularizer
        self.kernel_constraint = kernel_constraint

    def _build_kernel(self, channels: int) -> None:
        self.kernel = self.add_weight(
            "kernel",
            [*self.kernel_size, *self._depths(channels)],
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
        )

    def _depths(self, channels: int) -> tuple[int, int]:
        """Return the last two sizes of the kernel."""
        return channels, self.filters


class Conv1D(_WithKernel):
    """A convolution of sequences with a trained kernel.

    `filters` is the number of channels of the output.  `kernel_size`, `strides` and
    `dilation_rate` are integers: the size of the window, its step, and the step inside
    it.  `padding` is ``"valid"``, ``"same"``, or ``"causal"``: no output sees later
    steps.  `data_format` is ``"channels_last"`` for ``[batch, steps, channels]``, or
    ``"channels_first"``.  It raises ValueError if the number of channels is unknown, or
    an argument is invalid.  Other parameters are those of `tf.layers.Dense`.

    Examples
    --------
    >>> tf.layers.Conv1D(5, kernel_size=3)(tf.ones([2, 8, 4])).shape.as_list()
    [2, 6, 5]
    """

    rank = 1
    paddings = ("same", "valid", "causal")

    def _convolve(self, inputs: Any) -> Tensor:
        padding = self.padding
        if padding == "CAUSAL":
            before = [self.dilation_rate[0] * (self.kernel_size[0] - 1), 0]
            rest = [[0, 0], before] if self.lead else [before, [0, 0]]
            inputs, padding = pad(inputs, [[0, 0], *rest]), "VALID"
        return convolve_sequences(
            inputs,
            self.kernel,
            self.strides[0],
            padding,
            data_format=self.layout,
            dilations=self.dilation_rate[0],
        )


class Conv2D(_WithKernel):
    """A convolution of images with a trained kernel.

    `filters` is the number of channels of the output.  `kernel_size`, `strides` and
    `dilation_rate` are each one integer, or a pair for rows and columns: the size of
    the window, its step, and the step inside it.  `padding` is ``"valid"`` or
    ``"same"``.  `data_format` is ``"channels_last"`` for ``[batch, rows, columns,
    channels]``, or ``"channels_first"`` for ``[batch, channels, rows, columns]``.  It
    raises ValueError if the number of channels is unknown, or an argument is invalid.
    Other parameters are those of `tf.layers.Dense`.

    Examples
    --------
    >>> layer = tf.layers.Conv2D(5, 3, strides=2, padding="same")
    >>> layer(tf.ones([2, 8, 8, 4])).shape.as_list(), layer.kernel.shape.as_list()
    ([2, 4, 4, 5], [3, 3, 4, 5])
    """

    rank = 2

    def _convolve(self, inputs: Any) -> Tensor:
        return convolve(
            inputs,
            self.kernel,
            self.strides,
            self.padding,
            data_format=self.layout,
            dilations=self.dilation_rate,
        )


class Conv2DTranspose(_WithKernel):
    """The gradient of a convolution as a layer, which enlarges images.

    `filters` is the number of channels of the output.  `kernel_size` and `strides` are
    one integer or a pair for rows and columns: the size of the window and its step.
    `padding` is ``"valid"`` or ``"same"``; with the latter the output is the input
    times the step.  It raises ValueError if the number of channels is unknown, or an
    argument is invalid.  Other parameters are those of `tf.layers.Conv2D`.

    Examples
    --------
    >>> layer = tf.layers.Conv2DTranspose(5, 3, strides=2, padding="same")
    >>> layer(tf.ones([2, 4, 4, 3])).shape.as_list()
    [2, 8, 8, 5]
    """

    rank = 2

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = (1, 1),
        padding: str = "valid",
        data_format: str = "channels_last",
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = None,
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            filters,
            kernel_size,
            strides,
            padding,
            data_format,
            (1, 1),
            activation,
            use_bias,
            kernel_initializer,
            bias_initializer,
            kernel_regularizer,
            bias_regularizer,
            activity_regularizer,
            kernel_constraint,
            bias_constraint,
            trainable,
            name,
            **kwargs,
        )

    def _depths(self, channels: int) -> tuple[int, int]:
        return self.filters, channels

    def _convolve(self, inputs: Any) -> Tensor:
        known = inputs.shape.as_list()
        unknown = None if None not in known else shape(inputs)
        given = [
            unknown[axis] if size is None and unknown is not None else size
            for axis, size in enumerate(known)
        ]
        rows = [
            self._enlarged_size(given[axis + (2 if self.lead else 1)], axis)
            for axis in (0, 1)
        ]
        sides = [self.filters, *rows] if self.lead else [*rows, self.filters]
        return convolve_back(
            inputs,
            self.kernel,
            [given[0], *sides],
            self.strides,
            self.padding,
            data_format=self.layout,
        )

    def _enlarged_size(self, size: Any, axis: int) -> Any:
        step, window = self.strides[axis], self.kernel_size[axis]
        more = max(window - step, 0) if self.padding == "VALID" else 0
        return size * step + more


class SeparableConv2D(_Convolution):
    """A convolution of each channel, then one across channels.

    `depth_multiplier` is the number of channels that each channel gives in between.
    The arguments that begin with ``depthwise`` are for the kernel ``[rows, columns,
    channels, depth_multiplier]``, those with ``pointwise`` for the kernel ``[1, 1,
    channels * depth_multiplier, filters]``.  Other parameters are those of
    `tf.layers.Conv2D`; window, steps and padding belong to the convolution of each
    channel.  It raises ValueError if the number of channels is unknown, or an argument
    is invalid.

    Examples
    --------
    >>> layer = tf.layers.SeparableConv2D(5, 3)
    >>> layer(tf.ones([2, 8, 8, 4])).shape.as_list()
    [2, 6, 6, 5]
    """

    rank = 2

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = (1, 1),
        padding: str = "valid",
        data_format: str = "channels_last",
        dilation_rate: Any = (1, 1),
        depth_multiplier: int = 1,
        activation: Any = None,
        use_bias: bool = True,
        depthwise_initializer: Any = None,
        pointwise_initializer: Any = None,
        bias_initializer: Any = "zeros",
        depthwise_regularizer: Any = None,
        pointwise_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        depthwise_constraint: Any = None,
        pointwise_constraint: Any = None,
        bias_constraint: Any = None,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            trainable, name, activity_regularizer=activity_regularizer, **kwargs
        )
        self.filters = whole(self.name, "filters", filters)
        self._set_windows(kernel_size, strides, padding, data_format, dilation_rate)
        self.activation = activation_of(activation)
        self._set_bias(use_bias, bias_initializer, bias_regularizer, bias_constraint)
        self.depth_multiplier = whole(self.name, "depth_multiplier", depth_multiplier)
        self.depthwise_initializer = initializer_of(depthwise_initializer)
        self.pointwise_initializer = initializer_of(pointwise_initializer)
        self.depthwise_regularizer = depthwise_regularizer
        self.pointwise_regularizer = pointwise_regularizer
        self.depthwise_constraint = depthwise_constraint
        self.pointwise_constraint = pointwise_constraint

    def _build_kernel(self, channels: int) -> None:
        self.depthwise_kernel = self.add_weight(
            "depthwise_kernel",
            [*self.kernel_size, channels, self.depth_multiplier],
            initializer=self.depthwise_initializer,
            regularizer=self.depthwise_regularizer,
            constraint=self.depthwise_constraint,
        )
        self.pointwise_kernel = self.add_weight(
            "pointwise_kernel",
            [1, 1, channels * self.depth_multiplier, self.filters],
            initializer=self.pointwise_initializer,
            regularizer=self.pointwise_regularizer,
            constraint=self.pointwise_constraint,
        )

    def _convolve(self, inputs: Any) -> Tensor:
        return convolve_separably(
            inputs,
            self.depthwise_kernel,
            self.pointwise_kernel,
            self.strides,
            self.padding,
            rate=self.dilation_rate,
            data_format=self.layout,
        )


conv1d = function_of(
    Conv1D,
    "conv1d",
    """>>> tf.layers.conv1d(tf.ones([2, 8, 4]), 5, 3).shape.as_list()
    [2, 6, 5]""",
)

conv2d = function_of(
    Conv2D,
    "conv2d",
    """>>> tf.layers.conv2d(tf.ones([2, 8, 8, 4]), 5, 3).shape.as_list()
    [2, 6, 6, 5]""",
)

conv2d_transpose = function_of(
    Conv2DTranspose,
    "conv2d_transpose",
    """>>> tf.layers.conv2d_transpose(tf.ones([2, 4, 4, 3]), 5, 3).shape.as_list()
    [2, 6, 6, 5]""",
)

separable_conv2d = function_of(
    SeparableConv2D,
    "separable_conv2d",
    """>>> tf.layers.separable_conv2d(tf.ones([2, 8, 8, 4]), 5, 3).shape.as_list()
    [2, 6, 6, 5]""",
)
