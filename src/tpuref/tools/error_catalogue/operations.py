"""Operations and their inputs, and values that become tensors."""

from __future__ import annotations

from tpuref.base import error_codes as codes
from tpuref.tools.error_catalogue.entry import Entry

ENTRIES = (
    Entry(
        codes.INVALID_OPERANDS,
        "An operation does not accept these inputs",
        meaning="Shapes, types, attributes or values known only at run time do not "
        "fit the operation. The message shows the inputs and the line of each, at run "
        "time also the replica.",
        remedy="Change the input that the message names; assertions such as "
        "tf.debugging.assert_equal check values where they arise.",
        replaces="E119",
    ),
    Entry(
        codes.WRONG_SHAPE,
        "A tensor has the wrong shape or rank",
        meaning="Counted from the right, dimensions that are combined must be equal, "
        "or one of them 1. Or the operation needs another number of dimensions, or a "
        "constant another number of values.",
        remedy="Adjust the shape with tf.reshape, tf.expand_dims, tf.squeeze or "
        "tf.transpose.",
        replaces="E111 E122",
    ),
    Entry(
        codes.DTYPES_DIFFER,
        "A dtype does not fit",
        meaning="There is no implicit conversion: float32 and bfloat16 do not mix, "
        "nor do int32 and float32. The operation does not support this dtype, or a "
        "value would lose information in it, such as 1.5 as an integer.",
        remedy="Convert with tf.cast to one of the types in the message, or choose a "
        "type that can hold the value.",
        replaces="E113 E121",
    ),
    Entry(
        codes.INDEX_OUT_OF_RANGE,
        "An index or an axis is out of range",
        meaning="A subscript or an index of tf.gather is not below the size of the "
        "axis, or an axis is not below the rank or is given twice.",
        remedy="Check where the index comes from; tf.clip_by_value keeps it in range. "
        "Axes count from 0, or from -1 backwards.",
        replaces="E114",
    ),
    Entry(
        codes.INTEGER_DIVISION_BY_ZERO,
        "An integer is divided by zero",
        meaning="Integers cannot represent infinity.",
        remedy="Use tf.truediv, or avoid zeros with tf.where.",
    ),
    Entry(
        codes.NO_TENSOR_FORM,
        "This value has no tensor form",
        meaning="None, an object, an operation without output, a partly unknown "
        "shape, or lists of different lengths cannot become a tensor.",
        remedy="Pass a number, text, an array, or regular lists of these.",
    ),
)
