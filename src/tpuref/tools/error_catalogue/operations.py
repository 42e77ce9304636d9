"""Operations and their inputs, and values that become tensors."""

from __future__ import annotations

from tpuref.base import error_codes as codes
from tpuref.tools.error_catalogue.entry import Entry

ENTRIES = (
    Entry(
        codes.INVALID_OPERANDS,
        "An operation does not accept these inputs",
        meaning="The shapes, types or attributes do not fit the operation. The "
        "message shows the inputs and the line of each.",
        remedy="Change the input that the message names.",
        text="""
            import tpuref as tf

            tf.matmul(tf.zeros([2, 3]), tf.zeros([4, 5]))
        """,
    ),
    Entry(
        codes.SHAPES_DO_NOT_BROADCAST,
        "Shapes do not broadcast",
        meaning="Counted from the right, dimensions must be equal, or one of them 1.",
        remedy="Adjust a shape with tf.reshape, tf.expand_dims or tf.transpose.",
        text="""
            import tpuref as tf

            tf.zeros([2, 3]) + tf.zeros([2])
        """,
    ),
    Entry(
        codes.DTYPES_DIFFER,
        "Tensors of different dtypes are combined",
        meaning="There is no implicit conversion: float32 and bfloat16 do not mix, "
        "nor do int32 and float32.",
        remedy="Convert one of them with tf.cast.",
        text="""
            import tpuref as tf

            tf.zeros([2], tf.float32) + tf.zeros([2], tf.bfloat16)
        """,
    ),
    Entry(
        codes.DTYPE_NOT_TAKEN,
        "An operation does not support this dtype",
        meaning="For example the exponential of an integer, or the sum of booleans.",
        remedy="Convert the input with tf.cast to one of the types in the message.",
        text="""
            import tpuref as tf

            tf.exp(tf.constant(1))
        """,
    ),
    Entry(
        codes.NO_SUCH_AXIS,
        "The tensor has no such axis",
        meaning="An axis is out of range for the rank, or given twice.",
        remedy="Axes count from 0, or from -1 backwards.",
        text="""
            import tpuref as tf

            tf.reduce_sum(tf.zeros([2, 3]), axis=2)
        """,
    ),
    Entry(
        codes.INDEX_OUT_OF_RANGE,
        "An index is out of range",
        meaning="A subscript, or an index of tf.gather, is not below the size of the "
        "axis.",
        remedy="Check where the index comes from; tf.clip_by_value keeps it in range.",
        text="""
            import tpuref as tf

            with tf.Session() as sess:
                sess.run(tf.gather([1, 2, 3], tf.constant(7)))
        """,
    ),
    Entry(
        codes.INTEGER_DIVISION_BY_ZERO,
        "An integer is divided by zero",
        meaning="Integers cannot represent infinity.",
        remedy="Use tf.truediv, or avoid zeros with tf.where.",
        text="""
            import tpuref as tf

            with tf.Session() as sess:
                sess.run(tf.floordiv(tf.constant(1), tf.constant(0)))
        """,
    ),
    Entry(
        codes.WRONG_RANK,
        "The tensor has the wrong rank",
        meaning="The operation needs a different number of dimensions.",
        remedy="Add or drop dimensions with tf.expand_dims, tf.squeeze or tf.reshape.",
        text="""
            import tpuref as tf

            tf.linalg.diag_part(tf.zeros([3]))
        """,
    ),
    Entry(
        codes.OPERATION_FAILED,
        "An operation cannot use the values it got",
        meaning="Shapes or values that are known only at run time do not fit the "
        "operation. The message shows the replica, the arrays and the line.",
        remedy="Check the values at that line; assertions such as "
        "tf.debugging.assert_equal check them at their origin.",
        text="""
            import tpuref as tf

            x = tf.placeholder(tf.float32, [None])
            y = tf.reshape(x, [2, 2])
            with tf.Session() as sess:
                sess.run(y, {x: [1.0, 2.0, 3.0]})
        """,
    ),
    Entry(
        codes.NO_TENSOR_FORM,
        "This value has no tensor form",
        meaning="None, an object, an operation without output, a partly unknown "
        "shape, or lists of different lengths cannot become a tensor.",
        remedy="Pass a number, text, an array, or regular lists of these.",
        text="""
            import tpuref as tf

            tf.constant([[1, 2], [3]])
        """,
    ),
    Entry(
        codes.VALUE_DOES_NOT_FIT,
        "A value would lose information in this dtype",
        meaning="A float as an integer, a number as a boolean, text as a number, or "
        "a number outside the range of the type.",
        remedy="Convert explicitly with tf.cast, or choose a type that can hold it.",
        text="""
            import tpuref as tf

            tf.constant(1.5, tf.int32)
        """,
    ),
    Entry(
        codes.CONSTANT_DOES_NOT_FILL,
        "The value of a constant does not fill its shape",
        meaning="The number of values differs from the number of elements of the "
        "shape, or the shape is not fully known.",
        remedy="Pass one value per element, or a single one for all.",
        text="""
            import tpuref as tf

            tf.constant([1, 2, 3], shape=[2])
        """,
    ),
    Entry(
        codes.UNKNOWN_DTYPE,
        "This is not an element type",
        meaning="It is not a tf.DType, the name or number of one, or a corresponding "
        "type of NumPy or Python.",
        remedy="Use one of the names in the message, such as tf.float32.",
        text="""
            import tpuref as tf

            tf.as_dtype("float31")
        """,
    ),
    Entry(
        codes.INVALID_SHAPE,
        "This is not a shape",
        meaning="A shape is a sequence of non-negative sizes, with None for unknown "
        "ones.",
        remedy="Write [None, 3]; None alone is a shape of unknown rank.",
        text="""
            import tpuref as tf

            tf.TensorShape([2, -3])
        """,
    ),
    Entry(
        codes.INVALID_SUBSCRIPT,
        "A tensor does not support this subscript",
        meaning="A subscript may contain integers, slices, one ellipsis, tf.newaxis "
        "and scalar integer tensors, but not NumPy's lists and masks.",
        remedy="Use tf.gather for a list of indices, tf.boolean_mask for a mask.",
        text="""
            import tpuref as tf

            tf.zeros([4])[[0, 2]]
        """,
    ),
    Entry(
        codes.TENSOR_ARRAY_UNWRITTEN,
        "An element of a tf.TensorArray is read before any is written",
        meaning="Without element_shape the shape of the elements is unknown until one "
        "is written. In a graph, write leaves the array as it is and returns another "
        "one.",
        remedy="Go on with what write returns, or give element_shape= to read zeros.",
        text="""
            import tpuref as tf

            array = tf.TensorArray(tf.float32, size=2)
            array.write(0, 1.0)  # what it returns is lost
            tf.Session().run(array.read(0))
        """,
    ),
    Entry(
        codes.TENSOR_ARRAY_ELEMENTS,
        "The elements or the size of a tf.TensorArray do not fit",
        meaning="All elements of an array have one shape. An array has a size, or "
        "dynamic_size=True, with which it grows.",
        remedy="Pad the elements (tf.pad) to equal shapes; give a size.",
        text="""
            import tpuref as tf

            array = tf.TensorArray(tf.float32, size=2)
            array.write(0, [1.0]).write(1, [1.0, 2.0])
        """,
    ),
    Entry(
        codes.STRING_ARGUMENT,
        "Texts of different shapes, or no regular expression",
        meaning="tf.strings.join takes texts of one shape, and scalars; "
        "tf.strings.regex_replace takes a regular expression.",
        remedy="Reshape the texts; escape characters such as ( in the pattern.",
        text="""
            import tpuref as tf

            tf.strings.regex_replace("f(x)", "f(", "g(")
        """,
    ),
    Entry(
        codes.CONTAINS_ITSELF,
        "A list, tuple or dict contains itself",
        meaning="The leaves of a nested structure are listed in order, which never "
        "ends if a container holds itself.",
        remedy="Remove the container from itself, or put a copy into it.",
        text="""
            import tpuref as tf

            values = [1.0]
            values.append(values)
            tf.nest.flatten(values)
        """,
    ),
)
