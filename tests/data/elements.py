"""Serialized examples, and the elements of a dataset as a session gets them."""

import tpuref as tf


def example(**features):
    """Return a serialized example of lists of numbers and texts."""

    def feature(values):
        if isinstance(values[0], bytes):
            return tf.train.Feature(bytes_list=tf.train.BytesList(value=values))
        if isinstance(values[0], float):
            return tf.train.Feature(float_list=tf.train.FloatList(value=values))
        return tf.train.Feature(int64_list=tf.train.Int64List(value=values))

    made = tf.train.Features(feature={k: feature(v) for k, v in features.items()})
    return tf.train.Example(features=made).SerializeToString()


def elements(dataset, feed=None):
    """Return all elements, by way of an initializable iterator."""
    iterator = dataset.make_initializable_iterator()
    value = iterator.get_next()
    found = []
    with tf.Session(graph=tf.get_default_graph()) as session:
        session.run(iterator.initializer, feed)
        while True:
            try:
                found.append(session.run(value))
            except tf.errors.OutOfRangeError:
                return found


def plain(value):
    """Return an element with lists and Python scalars instead of arrays."""
    return _mapped(value, lambda x: x.tolist() if hasattr(x, "tolist") else x)


def lists(dataset, feed=None):
    """Return all elements with lists instead of arrays."""
    return [plain(element) for element in elements(dataset, feed)]


def described(dataset):
    """Return shapes and types as lists and names, in the structure of an element."""
    types = _mapped(dataset.output_types, lambda dtype: dtype.name)
    return _mapped(dataset.output_shapes, _dims), types


def _dims(shape):
    return None if shape.ndims is None else shape.as_list()


def _mapped(structure, function):
    if isinstance(structure, tuple):
        return tuple(_mapped(part, function) for part in structure)
    if isinstance(structure, dict):
        return {key: _mapped(part, function) for key, part in structure.items()}
    return function(structure)
