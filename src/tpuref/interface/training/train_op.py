"""Combine gradients, updates and the loss in one training operation."""

from collections.abc import Callable
from typing import Any

from tpuref.base.arguments import instance_of
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.default import get_default_graph
from tpuref.engine.graph.graph import GraphKeys
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.assertions import Assert
from tpuref.interface.functions.clipping import global_norm
from tpuref.interface.functions.comparison import is_finite
from tpuref.interface.functions.identity import identity
from tpuref.interface.functions.reductions import reduce_all
from tpuref.interface.functions.scopes import control_dependencies
from tpuref.interface.summary.operations import histogram, scalar
from tpuref.interface.training.global_step import get_or_create_global_step
from tpuref.interface.training.optimizer import Optimizer

_OWN_GLOBAL_STEP = 0


def create_train_op(
    total_loss: Any,
    optimizer: Optimizer,
    global_step: Any = _OWN_GLOBAL_STEP,
    update_ops: Any = None,
    variables_to_train: Any = None,
    transform_grads_fn: Callable[[Any], Any] | None = None,
    summarize_gradients: bool = False,
    gate_gradients: int = Optimizer.GATE_OP,
    aggregation_method: Any = None,
    colocate_gradients_with_ops: bool = False,
    check_numerics: bool = True,
) -> Tensor:
    """Return a tensor that runs a training step and returns the loss.

    Other parameters are those of `tf.train.Optimizer.compute_gradients`.  `global_step`
    is the variable that each step increments, by default that of the graph; None for
    none.  `update_ops` are the operations to run before the loss is computed, by
    default the collection ``UPDATE_OPS``.  `variables_to_train` are by default all
    trainable variables.  `transform_grads_fn` is a function from a list of (gradient,
    variable) pairs to such a list.  `summarize_gradients` says whether gradients and
    their norms are summarized, `check_numerics` whether to raise an error if the loss
    is not finite.  It raises `tf.errors.InvalidArgumentError` at run time if the loss
    is not finite.

    Examples
    --------
    >>> w = tf.Variable(3.0)
    >>> descent = tf.train.GradientDescentOptimizer(0.25)
    >>> train_op = tf.contrib.training.create_train_op(w * w, descent)
    >>> with tf.Session() as sess:
    ...     sess.run(tf.global_variables_initializer())
    ...     [float(sess.run(train_op)) for _ in range(3)]
    [9.0, 2.25, 0.5625]
    """
    argument = "tf.contrib.training.create_train_op: optimizer"
    instance_of(Optimizer, argument, "a tf.train.Optimizer", optimizer)
    graph = get_default_graph()
    if global_step is _OWN_GLOBAL_STEP:
        global_step = get_or_create_global_step()
    if update_ops is None:
        update_ops = graph.get_collection(GraphKeys.UPDATE_OPS)
    with control_dependencies(list(update_ops)):
        loss = identity(convert_to_tensor(total_loss))
    pairs = optimizer.compute_gradients(
        loss,
        variables_to_train,
        gate_gradients=gate_gradients,
        aggregation_method=aggregation_method,
        colocate_gradients_with_ops=colocate_gradients_with_ops,
    )
    if transform_grads_fn is not None:
        pairs = transform_grads_fn(pairs)
    if summarize_gradients:
        for gradient, variable in pairs:
            if gradient is not None:
                name = f"{variable.op.name}_gradient"
                histogram(name, gradient)
                scalar(f"{name}_norm", global_norm([gradient]))
    done: list[Any] = [optimizer.apply_gradients(pairs, global_step)]
    if check_numerics:
        finite = reduce_all(is_finite(loss))
        done.append(Assert(finite, ["LossTensor is inf or nan", loss]))
    with control_dependencies(done):
        train_op = identity(loss)
    graph.add_to_collection(GraphKeys.TRAIN_OP, train_op)
    return train_op
