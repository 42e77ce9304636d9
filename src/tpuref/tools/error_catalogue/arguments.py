"""Arguments, their shapes, and results of functions."""

from __future__ import annotations

from tpuref.base import error_codes as codes
from tpuref.tools.error_catalogue.entry import Entry

ENTRIES = (
    Entry(
        codes.WRONG_ARGUMENT_TYPE,
        "An argument has the wrong type",
        meaning="For example, a number instead of a function, a list or a dataset; "
        "inputs of tf.tpu.replicate that are not a list of lists, one for each "
        "replica; or a fetch of Session.run that is None.",
        remedy="The message names the function and the argument, what it accepts, and "
        "what it got. Write inputs=[[x0], [x1]] for two replicas, and inputs=[x, y] "
        "for tf.tpu.shard and rewrite.",
        replaces="E020 E095 E131",
    ),
    Entry(
        codes.INVALID_ARGUMENT,
        "An argument is out of its range or set",
        meaning="A number is out of range, a value is not one of the choices, "
        "arguments exclude each other or one is missing, or the value is malformed: "
        "no shape, no dtype, no regular expression, a list that contains itself.",
        remedy="Pass what the message expects. It names the function, the argument, "
        "what it accepts and what it got.",
        replaces="E027 E123 E124 E126 E154 E155 E192 E219 E221 E223 E235 E240 "
        "E247 E250 E272",
    ),
    Entry(
        codes.WRONG_COUNT,
        "A list or a value does not have the right number of parts",
        meaning="One entry is needed for each input, output, replica or element of an "
        "infeed tuple, or the computation takes another number of inputs. "
        "get_single_element needs a dataset of one element.",
        remedy="Pass as many as the message says. Wrap a single input that is a list "
        "in another list: inputs=[[x]].",
        replaces="E028 E032 E162 E273",
    ),
    Entry(
        codes.STRUCTURES_DIFFER,
        "Structures that must be alike differ",
        meaning="The inputs of all replicas, the results of all towers and the "
        "results of both branches of tf.cond have the same nesting, names, dtypes and "
        "number of parts.",
        remedy="Make them alike. The message shows the path of the first difference.",
        text="""
            import tpuref as tf

            resolver = tf.contrib.cluster_resolver.TPUClusterResolver("local")
            strategy = tf.contrib.distribute.TPUStrategy(resolver, 1, num_cores=2)


            def tower():
                x = tf.constant(1.0)
                return [x] if tf.get_tower_context().tower_id else [x, x]


            with strategy.scope():
                strategy.call_for_each_tower(tower)
        """,
        replaces="E109 E171",
    ),
    Entry(
        codes.SHAPES_DIFFER,
        "Tensors that must have equal shapes differ",
        meaning="Inputs of replicas, contributions to a sum, elements of a batch or "
        "of a tf.TensorArray have one dtype and one shape. A tf.TensorArray also "
        "needs a size that fits.",
        remedy="Pad or reshape them to one shape: maximum_shapes for inputs of "
        "replicas, padded_batch for datasets, tf.pad elsewhere. Convert types with "
        "tf.cast.",
        text="""
            import tpuref as tf


            def computation(x):
                return tf.tpu.cross_replica_sum(tf.boolean_mask(x, x > 1.0))


            inputs = [[tf.constant([1.0, 2.0])], [tf.constant([2.0, 3.0])]]
            outputs = tf.tpu.replicate(computation, inputs)
            with tf.Session() as sess:
                sess.run(outputs)
        """,
        replaces="E024 E093 E271",
    ),
    Entry(
        codes.UNKNOWN_SHAPE,
        "A shape must be known",
        meaning="The cores, a variable or an infeed queue reserve memory before any "
        "value exists, so the shapes, and for a queue the types too, must be known.",
        remedy="Pass shape=, tuple_types and tuple_shapes, or an initial value of "
        "known shape. With tf.data use batch(..., drop_remainder=True); elsewhere "
        "set_shape.",
        text="""
            import tpuref as tf

            resolver = tf.contrib.cluster_resolver.TPUClusterResolver("local")
            strategy = tf.contrib.distribute.TPUStrategy(resolver, 1, num_cores=2)
            with strategy.scope():
                data = strategy.distribute_dataset(
                    lambda: tf.data.Dataset.range(8).batch(2)
                )
                strategy.run_steps_on_dataset(
                    lambda context, x: tf.no_op(), data.make_one_shot_iterator()
                )
        """,
        replaces="E097 E161",
    ),
    Entry(
        codes.INVALID_PADDING,
        "An input does not fit its padded shape",
        meaning="maximum_shapes or padded_shapes does not have the structure, rank or "
        "type of the inputs, an entry is not a shape, or an input is larger than its "
        "maximum. Inputs are padded and never cut.",
        remedy="Pass one shape for each input, with its rank, such as "
        "maximum_shapes=[tf.TensorShape([None, 2])]. None means the largest size; "
        "raise a maximum that is too small.",
        text="""
            import tpuref as tf

            shapes = [tf.TensorShape([2])]
            tf.tpu.replicate(
                lambda x: x, inputs=[[tf.zeros([3])]], maximum_shapes=shapes
            )
        """,
        document="003_0632b6613bf28dbc.txt",
        replaces="E096 E150 E152 E153",
    ),
    Entry(
        codes.INVALID_RESULT,
        "A function returns something that cannot be used",
        meaning="A computation, a traced function, a host function or a generator "
        "returns a value that is no tensor, has another type or shape than declared, "
        "or stands in the wrong place: in a flat list, operations come after tensors.",
        remedy="Return tensors or values that convert to tensors, as many and of the "
        "types that Tout, output_types or the message declares; declare None for "
        "sizes that vary.",
        replaces="E039 E092 E233",
    ),
    Entry(
        codes.LIMIT_EXCEEDED,
        "A limit is exceeded",
        meaning="A computation has at most 65536 replicas, branches and loops are "
        "nested at most 63 deep, and a server accepts 256 sessions (128 from one "
        "address) and messages of max_message_bytes.",
        remedy="Use fewer replicas with larger parts, one tf.while_loop instead of "
        "nested branches, or smaller arrays; close sessions (with tf.Session(...) as "
        "session), or raise max_message_bytes of tf.train.Server and tf.RPCOptions.",
        replaces="E029 E079 E195",
    ),
    Entry(
        codes.FROZEN,
        "It can no longer be changed",
        meaning="The graph is finalized, or the infeed queue already has operations, "
        "so nothing can be added or configured.",
        remedy="Build everything before; a function called in a loop may add "
        "operations unintentionally. Run existing operations again, or create another "
        "queue.",
        text="""
            import tpuref as tf

            queue = tf.contrib.tpu.InfeedQueue(
                tuple_types=[tf.float32], tuple_shapes=[[2]]
            )
            for _ in range(2):
                queue.generate_enqueue_ops([[tf.zeros([2])]])
        """,
        replaces="E160 E164",
    ),
    Entry(
        codes.NOT_RECORDING,
        "A tape or a profile is started or stopped out of turn",
        meaning="Only one profile runs at a time, and it can be stopped once. A tape "
        "records within its `with` block, and answers once unless it is persistent.",
        remedy="Use `with tf.profiler.trace(path):`, which stops by itself. Request "
        "all gradients in one call, or use tf.GradientTape(persistent=True).",
        replaces="E180 E181 E193",
    ),
)
