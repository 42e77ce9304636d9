"""Datasets and their iterators."""

from __future__ import annotations

from tpuref.base import error_codes as codes
from tpuref.tools.error_catalogue.entry import Entry

ENTRIES = (
    Entry(
        codes.END_OF_SEQUENCE,
        "The dataset has no more elements",
        meaning="An iterator returned all elements, or several steps need more input "
        "than there is. Variables keep the values from before these steps.",
        remedy="Catch tf.errors.OutOfRangeError at the end of a pass, restart the "
        "iterator, or use dataset.repeat().",
        text="""
            import tpuref as tf

            following = tf.data.Dataset.range(1).make_one_shot_iterator().get_next()
            with tf.Session() as sess:
                sess.run(following)
                sess.run(following)
        """,
    ),
    Entry(
        codes.ITERATOR_NOT_INITIALIZED,
        "The iterator was not initialised in this session",
        meaning="An iterator of make_initializable_iterator starts when its "
        "initializer runs, separately in each session.",
        remedy="Run sess.run(iterator.initializer) first.",
        text="""
            import tpuref as tf

            iterator = tf.data.Dataset.range(3).make_initializable_iterator()
            with tf.Session() as sess:
                sess.run(iterator.get_next())
        """,
    ),
    Entry(
        codes.ELEMENT_NOT_AS_DECLARED,
        "An element does not have the declared types and shapes",
        meaning="A generator, or another library's dataset, returned an element that "
        "differs from output_types and output_shapes, or from the first element.",
        remedy="Declare the actual types and shapes, with None for sizes that vary, "
        "or convert the elements.",
        text="""
            import tpuref as tf

            data = tf.data.Dataset.from_generator(
                lambda: iter([[1, 2], [3]]), tf.int64, [2]
            )
            list(data.as_numpy_iterator())
        """,
    ),
    Entry(
        codes.CANNOT_BATCH,
        "Elements of different shapes cannot be batched",
        meaning="A batch is one array, so its elements must have the same shape.",
        remedy="Use padded_batch, or make the shapes equal with map.",
        text="""
            import tpuref as tf

            data = tf.data.Dataset.range(1, 3).map(lambda n: tf.fill([n], n))
            list(data.batch(2).as_numpy_iterator())
        """,
    ),
    Entry(
        codes.NOT_ONE_ELEMENT,
        "The dataset does not have just one element",
        meaning="tf.data.experimental.get_single_element is for datasets of one "
        "element, such as one batch of everything.",
        remedy="Use dataset.take(1), or dataset.batch(n) with as many as there are.",
        text="""
            import tpuref as tf

            element = tf.data.experimental.get_single_element(tf.data.Dataset.range(2))
            tf.Session().run(element)
        """,
    ),
    Entry(
        codes.WRONG_ITERATOR,
        "This kind of iterator cannot be used here",
        meaning="A one-shot iterator cannot depend on variables or placeholders; a "
        "`for` loop needs eager mode; an initializable iterator needs graph mode; an "
        "iterator accepts only datasets of its own types.",
        remedy="The message names the method to use instead.",
        text="""
            import tpuref as tf

            count = tf.placeholder(tf.int64, [])
            tf.data.Dataset.range(count).make_one_shot_iterator()
        """,
    ),
    Entry(
        codes.NOT_A_DATASET,
        "This is not a dataset and cannot become one",
        meaning="A function returned something other than a dataset, or from_any got "
        "something that is empty or not iterable.",
        remedy="Return a tf.data.Dataset; tf.data.Dataset.from_any creates one from "
        "arrays, iterables and datasets of other libraries.",
        text="""
            import tpuref as tf

            tf.data.Dataset.from_any(17)
        """,
    ),
    Entry(
        codes.INVALID_PADDED_BATCH,
        "padded_batch cannot pad in this way",
        meaning="padded_shapes or padding_values do not have the structure, rank or "
        "type of the elements, or an element is larger than its padded shape.",
        remedy="Pass a shape for each component, with None for the longest of the "
        "batch, and scalars of the component's type.",
        text="""
            import tpuref as tf

            data = tf.data.Dataset.range(1, 3).map(lambda n: tf.fill([n], n))
            list(data.padded_batch(2, padded_shapes=[1]).as_numpy_iterator())
        """,
    ),
    Entry(
        codes.UNKNOWN_ELEMENT_SHAPE,
        "The cores need elements with a fully known shape",
        meaning="run_steps_on_dataset reserves memory on the cores for the elements.",
        remedy="Use batch(..., drop_remainder=True), or set_shape in dataset.map.",
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
        document="001_66db0865fe92828f.txt",
    ),
    Entry(
        codes.INVALID_DATASET_ARGUMENT,
        "A dataset cannot be created with this argument",
        meaning="A count, size or step is out of range, an argument is not a "
        "function or its result is not a tensor, or components have different "
        "numbers of rows.",
        remedy="The message names the method and what it accepts.",
        text="""
            import tpuref as tf

            list(tf.data.Dataset.range(4).batch(0).as_numpy_iterator())
        """,
    ),
    Entry(
        codes.INVALID_VOCABULARY,
        "A file is no vocabulary",
        meaning="The file has fewer lines than vocab_size, fewer columns than asked "
        "for, or a word twice.",
        remedy="Correct the file, or the arguments that describe it.",
        text="""
            import pathlib, tempfile
            import tpuref as tf

            path = pathlib.Path(tempfile.mkdtemp(), "words.txt")
            path.write_text("the\\nof\\nthe\\n")
            tf.contrib.lookup.index_table_from_file(str(path))
            tf.Session().run(tf.tables_initializer())
        """,
    ),
    Entry(
        codes.TABLE_NOT_READ,
        "A table is used before it is initialized",
        meaning="The file of a vocabulary is read when its initializer runs.",
        remedy="Run tf.tables_initializer() first; monitored sessions and estimators "
        "do so.",
        text="""
            import tpuref as tf

            table = tf.contrib.lookup.index_table_from_file("words.txt")
            tf.Session().run(table.lookup(tf.constant(["the"])))
        """,
    ),
)
