"""Graphs, traced functions and gradients."""

from __future__ import annotations

from tpuref.base import error_codes as codes
from tpuref.tools.error_catalogue.entry import Entry

ENTRIES = (
    Entry(
        codes.LEAKED_TENSOR,
        "A tensor is used outside the computation that created it",
        meaning="In a replicated computation, a branch, a loop or a dataset's "
        "function, a tensor has one value per replica, iteration or element, and none "
        "outside.",
        remedy="Return it from that function, and use the result. The message shows "
        "both lines.",
    ),
    Entry(
        codes.OTHER_GRAPH,
        "A tensor, variable or session belongs to another graph",
        meaning="Operations use tensors of a single graph.",
        remedy="Build both in one graph, or evaluate the value first and pass the "
        "array.",
    ),
    Entry(
        codes.NO_SUCH_ELEMENT,
        "The graph has no operation or tensor of this name",
        meaning="No operation has the given name, or the name of a tensor lacks its "
        "':index'.",
        remedy="Graph.get_operations() lists the operations. The first output of "
        "'add' is 'add:0'.",
    ),
    Entry(
        codes.NO_VALUE_YET,
        "A symbolic tensor has no value yet",
        meaning="int(), float(), numpy.asarray(), len(), iteration or a topology need "
        "a value that exists only when the graph runs.",
        remedy="Evaluate it with tf.Session().run(tensor), as in "
        "sess.run(tf.tpu.initialize_system()), or use tf functions, such as "
        "tf.shape(x)[0] for len(x). In a traced function look at its results, or use "
        "tf.config.run_functions_eagerly(True).",
        replaces="E013",
    ),
    Entry(
        codes.NUMPY_NOT_SUPPORTED,
        "A tensor does not support this NumPy function or subscript",
        meaning="Many NumPy functions build operations on tensors, but not this one, "
        "or not with these arguments. A subscript contains integers, slices, one "
        "ellipsis, tf.newaxis and scalar integer tensors, not lists or masks.",
        remedy="Use a tf function: tf.gather for a list of indices, tf.boolean_mask "
        "for a mask. Or call NumPy on the host with tf.tpu.outside_compilation and "
        "tf.py_func.",
        replaces="E125",
    ),
    Entry(
        codes.WRONG_MODE,
        "This works only in the other mode, or with another iterator",
        meaning="Placeholders, initializers and initializable iterators need graph "
        "mode; numpy() and a `for` loop over a dataset need eager mode, which is "
        "enabled before the first operation. A one-shot iterator cannot depend on "
        "variables, and an iterator accepts only datasets of its own types.",
        remedy="Call tf.enable_eager_execution() at program start, build in "
        "tf.Graph().as_default(), or use the method that the message names.",
        replaces="E094",
    ),
    Entry(
        codes.LOOP_VARIABLE_CHANGES,
        "A loop variable changes its structure, dtype or shape",
        meaning="The body of a loop returns the values for the next iteration, so "
        "they have the same structure, dtypes and shapes. This also holds for "
        "initial_loop_values of run_steps_on_dataset.",
        remedy="Pass shape_invariants with None for sizes that change, convert with "
        "tf.cast, or start with a value of that dtype and shape.",
        replaces="E172",
    ),
    Entry(
        codes.PYTHON_CONTROL_FLOW,
        "Python's control flow depends on a symbolic tensor",
        meaning="`if`, `while`, `and`, `or`, `not` and chained comparisons need a "
        "value while a graph is built or a function is traced, when there is none. A "
        "`for` over a tensor of unknown length has one body for all turns.",
        remedy="Use tf.cond, tf.while_loop, tf.map_fn, tf.where or tf.logical_and, as "
        "the message shows.",
        replaces="E104",
    ),
    Entry(
        codes.VARIABLES_MADE_AGAIN,
        "A traced function makes variables again",
        meaning="A variable lasts from call to call, so a function can make it only "
        "when it is called for the first time.",
        remedy="Make the variable outside of the function, or under `if self.v is "
        "None:`.",
    ),
    Entry(
        codes.OTHER_SIGNATURE,
        "The arguments do not fit the signature of a function",
        meaning="The function has an input_signature, or is a concrete function, and "
        "takes tensors of that type and shape only.",
        remedy="Pass such tensors, widen the signature with None for sizes, or leave "
        "input_signature out.",
    ),
    Entry(
        codes.NO_GRADIENT,
        "There is no gradient",
        meaning="An operation, a host part (tf.tpu.outside_compilation) or a "
        "replicated computation seen from outside has no gradient; or the loss "
        "depends on no trainable variable. The message names the operation and its "
        "line.",
        remedy="Compute the loss from variables through operations that have "
        "gradients: tf.stop_gradient, casts to integers and tf.argmax block them. "
        "Call tf.gradients inside the computation, or take the result through "
        "tf.stop_gradient.",
        replaces="E191 E220",
    ),
)
