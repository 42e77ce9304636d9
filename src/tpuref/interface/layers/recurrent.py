"""Recurrent layers: cells, and `dynamic_rnn`, which runs them over time."""

from typing import Any, NamedTuple

from tpuref.base import error_codes as codes
from tpuref.base import nest
from tpuref.base.arguments import instance_of
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.activations import sigmoid
from tpuref.interface.functions.creation import zeros, zeros_like
from tpuref.interface.functions.extents import shape
from tpuref.interface.functions.identity import identity
from tpuref.interface.functions.initializers import Zeros
from tpuref.interface.functions.joining import concat, split
from tpuref.interface.functions.linalg import matmul
from tpuref.interface.functions.mapping import over_rows
from tpuref.interface.functions.normalization import bias_add
from tpuref.interface.functions.reshaping import transpose
from tpuref.interface.functions.selection import where
from tpuref.interface.functions.variable_scope import variable_scope
from tpuref.interface.layers.formats import whole
from tpuref.interface.layers.layer import Layer
from tpuref.interface.layers.named import activation_of


class RNNCell(Layer):
    """One step of a recurrent network: ``output, state = cell(inputs, state)``.

    A subclass says the sizes of its state and output, and computes in `call`.

    Examples
    --------
    >>> class Sums(tf.nn.rnn_cell.RNNCell):
    ...     state_size = output_size = 1
    ...
    ...     def call(self, inputs, state):
    ...         return inputs + state, inputs + state
    >>> x = tf.reshape(tf.constant([1.0, 2.0, 3.0]), [1, 3, 1])
    >>> sums, last = tf.nn.dynamic_rnn(Sums(), x, dtype=tf.float32)
    >>> tf.Session().run(sums).ravel().tolist()
    [1.0, 3.0, 6.0]
    """

    @property
    def state_size(self) -> Any:
        """The size of a row of the state, or a structure of them."""
        raise NotImplementedError(f"{type(self).__name__} must define state_size")

    @property
    def output_size(self) -> Any:
        """The size of a row of the output."""
        raise NotImplementedError(f"{type(self).__name__} must define output_size")

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """Return the state before the first step, zeros of `dtype`."""
        return nest.map_structure(
            lambda size: zeros([batch_size, size], dtype), self.state_size
        )


class LSTMStateTuple(NamedTuple):
    """The state of an LSTM cell: `c`, and `h`, its last output."""

    c: Any
    h: Any


class BasicLSTMCell(RNNCell):
    """A cell with long short-term memory, without peepholes or clipping.

    `num_units` is the size of the output.  `forget_bias` is a number that is added to
    the input of the forget gate.  `state_is_tuple` says whether the state is a
    `LSTMStateTuple`, or one tensor with both parts.  `activation` is a function of a
    tensor or its name, by default tanh.  `reuse` says whether to share the variables
    that the scope has.  `name`, `dtype` and `**kwargs` are as for `tf.layers.Layer`.

    Examples
    --------
    >>> cell = tf.nn.rnn_cell.BasicLSTMCell(3)
    >>> output, state = cell(tf.ones([2, 5]), cell.zero_state(2, tf.float32))
    >>> output.shape.as_list(), [v.name for v in cell.weights]
    ([2, 3], ['basic_lstm_cell/kernel:0', 'basic_lstm_cell/bias:0'])
    """

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        activation: Any = None,
        reuse: Any = None,
        name: str | None = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, dtype=dtype, _reuse=reuse, **kwargs)
        self._units = whole(self.name, "num_units", num_units)
        self._forget_bias, self._state_is_tuple = forget_bias, state_is_tuple
        self._activation = activation_of(activation or "tanh") or identity

    @property
    def state_size(self) -> Any:
        """The sizes of both parts of the state, or of the whole."""
        if self._state_is_tuple:
            return LSTMStateTuple(self._units, self._units)
        return 2 * self._units

    @property
    def output_size(self) -> int:
        """The size of a row of the output."""
        return self._units

    def build(self, input_shape: Any) -> None:
        """Create kernel and bias."""
        if input_shape.rank != 2 or input_shape.as_list()[-1] is None:
            raise codes.WRONG_ARGUMENT_TYPE.value_error(
                f"tf.nn.rnn_cell: {self.name}: inputs: expected rank 2 and a known "
                f"last size, got shape {input_shape}; give it with set_shape"
            )
        rows = input_shape.as_list()[-1] + self._units
        self.kernel = self.add_weight("kernel", [rows, 4 * self._units])
        self.bias = self.add_weight("bias", [4 * self._units], initializer=Zeros())
        super().build(input_shape)

    def call(self, inputs: Any, state: Any) -> Any:
        """Return output and state of a step."""
        c, h = state if self._state_is_tuple else split(state, 2, 1)
        gates = bias_add(matmul(concat([inputs, h], 1), self.kernel), self.bias)
        taken, new, forgotten, shown = split(gates, 4, 1)
        c = c * sigmoid(forgotten + self._forget_bias)
        c = c + sigmoid(taken) * self._activation(new)
        h = self._activation(c) * sigmoid(shown)
        return h, LSTMStateTuple(c, h) if self._state_is_tuple else concat([c, h], 1)


def dynamic_rnn(
    cell: Any,
    inputs: Any,
    sequence_length: Any = None,
    initial_state: Any = None,
    dtype: Any = None,
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    time_major: bool = False,
    scope: Any = None,
) -> tuple[Any, Any]:
    """Run a cell over time.

    Return the outputs of all steps, and the last state.  `inputs` is a tensor ``[batch,
    time, ...]``.  `sequence_length` is the length of each row, by default the whole
    time.  After it, outputs are 0 and the state stays.  `initial_state` is the state
    before the first step, by default zeros.  `dtype` is the element type of those
    zeros.  `time_major` says whether inputs and outputs are ``[time, batch, ...]``.
    `scope` is the variable scope, by default ``rnn``.  It raises ValueError if neither
    `initial_state` nor `dtype` is given, or the rank of the inputs is less than 3.

    Examples
    --------
    >>> cell = tf.nn.rnn_cell.BasicLSTMCell(3)
    >>> y, state = tf.nn.dynamic_rnn(cell, tf.ones([2, 7, 5]), dtype=tf.float32)
    >>> y.shape.as_list(), state.h.shape.as_list(), cell.weights[0].name
    ([2, 7, 3], [2, 3], 'rnn/basic_lstm_cell/kernel:0')
    """
    instance_of(RNNCell, "tf.nn.dynamic_rnn: cell", "a tf.nn.rnn_cell.RNNCell", cell)
    with variable_scope(scope or "rnn"):
        steps = _time_first(inputs, time_major)
        state = initial_state
        if state is None:
            if dtype is None:
                raise ValueError(
                    "tf.nn.dynamic_rnn: If there is no initial_state, you must give a "
                    "dtype."
                )
            batch = steps.shape.as_list()[1]
            state = cell.zero_state(shape(steps)[1] if batch is None else batch, dtype)
        state = nest.map_structure(convert_to_tensor, state)
        lengths = (
            None if sequence_length is None else convert_to_tensor(sequence_length)
        )

        def turn(index: Any, flat: list[Tensor]) -> tuple[list[Tensor], list[Tensor]]:
            output, after = cell(steps[index], nest.pack_sequence_as(state, flat))
            after = nest.flatten(after)
            if lengths is not None:
                running = index < lengths
                output = where(running, output, zeros_like(output))
                pairs = zip(after, flat, strict=True)
                after = [where(running, new, old) for new, old in pairs]
            return after, [output]

        last, (outputs,) = over_rows(turn, steps, nest.flatten(state))
        return (
            outputs if time_major else _exchange_axes(outputs),
            nest.pack_sequence_as(state, last),
        )


def _time_first(inputs: Any, time_major: bool) -> Tensor:
    rows = convert_to_tensor(inputs)
    if rows.shape.rank is None or rows.shape.rank < 3:
        raise codes.WRONG_ARGUMENT_TYPE.value_error(
            f"tf.nn.dynamic_rnn: inputs {rows.describe()}: expected rank 3 or more; "
            "give it with set_shape"
        )
    return rows if time_major else _exchange_axes(rows)


def _exchange_axes(tensor: Tensor) -> Tensor:
    """Return a tensor with its first two dimensions exchanged."""
    rank = tensor.shape.rank
    assert rank is not None
    return transpose(tensor, [1, 0, *range(2, rank)])
