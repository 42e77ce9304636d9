"""Dynamic shapes of replicas: maximum_shapes and padding."""

from __future__ import annotations

from tpuref.base import error_codes as codes
from tpuref.tools.error_catalogue.entry import Entry

DOCUMENT = "003_0632b6613bf28dbc.txt"

ENTRIES = (
    Entry(
        codes.MAXIMUM_SHAPES_STRUCTURE,
        "maximum_shapes does not have the structure of the inputs",
        meaning="It needs one shape for each input of a replica, in the same nesting.",
        remedy="Write maximum_shapes=[tf.TensorShape([None, 2])] for one input; a bare "
        "list such as [4] counts as nesting.",
        text="""
            import tpuref as tf

            shapes = [tf.TensorShape([4]), tf.TensorShape([4])]
            tf.tpu.replicate(
                lambda x: x, inputs=[[tf.zeros([3])]], maximum_shapes=shapes
            )
        """,
        document=DOCUMENT,
    ),
    Entry(
        codes.EXCEEDS_MAXIMUM_SHAPE,
        "An input is larger than its entry in maximum_shapes",
        meaning="Inputs are padded up to the maximum and never cut.",
        remedy="Raise the maximum, or use None for the largest size among the "
        "replicas.",
        text="""
            import tpuref as tf

            shapes = [tf.TensorShape([2])]
            tf.tpu.replicate(
                lambda x: x, inputs=[[tf.zeros([3])]], maximum_shapes=shapes
            )
        """,
        document=DOCUMENT,
    ),
    Entry(
        codes.MAXIMUM_SHAPE_RANK,
        "An input and its entry in maximum_shapes differ in rank",
        meaning="Padding extends dimensions but adds none.",
        remedy="Pass as many dimensions as the input has; use set_shape on an input "
        "of unknown rank.",
        text="""
            import tpuref as tf

            shapes = [tf.TensorShape([4, 4])]
            tf.tpu.replicate(
                lambda x: x, inputs=[[tf.zeros([3])]], maximum_shapes=shapes
            )
        """,
        document=DOCUMENT,
    ),
    Entry(
        codes.INVALID_MAXIMUM_SHAPE,
        "An entry of maximum_shapes is not a shape",
        meaning="An entry is a TensorShape, a Dimension, an integer, or integers "
        "that are known when the graph is built, with known rank.",
        remedy="Write tf.TensorShape([None, 2]); None, or -1 in an array, is an "
        "unknown size.",
        text="""
            import tpuref as tf

            tf.tpu.replicate(
                lambda x: x, inputs=[[tf.zeros([3])]], maximum_shapes=["4"]
            )
        """,
        document=DOCUMENT,
    ),
    Entry(
        codes.INVALID_PADDING_SPEC,
        "padding_spec is invalid",
        meaning="padding_spec must be a member of tf.tpu.PaddingSpec: AUTO or "
        "POWER_OF_TWO.",
        remedy="Use one of them, or omit it.",
        text="""
            import tpuref as tf

            tf.tpu.replicate(
                lambda x: x, inputs=[[tf.zeros([3])]], padding_spec="POWER_OF_TWO"
            )
        """,
        document=DOCUMENT,
    ),
    Entry(
        codes.PADDED_INFEED,
        "maximum_shapes cannot be used together with an infeed queue",
        meaning="Tuples of an infeed queue have static shapes and are not padded.",
        remedy="Omit maximum_shapes, or pass the values as inputs.",
        text="""
            import tpuref as tf

            queue = tf.contrib.tpu.InfeedQueue(
                tuple_types=[tf.float32], tuple_shapes=[[2]]
            )
            tf.tpu.replicate(
                lambda x, y: x + y,
                inputs=[[tf.zeros([2])]],
                infeed_queue=queue,
                maximum_shapes=[tf.TensorShape([2])],
            )
        """,
        document=DOCUMENT,
    ),
)
