"""The names under ``tf.estimator.inputs``: input functions from arrays."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tpuref.base.arguments import wrong_type
from tpuref.interface.data.dataset import Dataset


def numpy_input_fn(
    x: Any,
    y: Any = None,
    batch_size: int = 128,
    num_epochs: int | None = 1,
    shuffle: bool | None = None,
    queue_capacity: int = 1000,
    num_threads: int = 1,
) -> Callable[[], Any]:
    """Return an input function that returns batches of arrays.

    `x` is an array, or a dict of arrays with equally many rows.  `y` are the labels, in
    the same form; None for none.  `batch_size` is the number of rows of a batch; the
    last one may have fewer.  `num_epochs` is the number of passes over the rows; None
    repeats them forever.  `queue_capacity` is the size of the shuffle buffer, in rows.
    It raises ValueError if `shuffle` is not a bool.

    Examples
    --------
    >>> import numpy as np
    >>> rows = {"a": np.arange(3.0)}
    >>> fn = tf.estimator.inputs.numpy_input_fn(rows, batch_size=2, shuffle=False)
    >>> with tf.Session() as sess:
    ...     sess.run(fn())
    {'a': array([0., 1.])}
    """
    if not isinstance(shuffle, bool):
        raise ValueError(
            "tf.estimator.inputs.numpy_input_fn: shuffle must be True or False, "
            f"explicitly, got {shuffle!r}"
        )
    if not isinstance(x, (Mapping, np.ndarray)):
        argument = "tf.estimator.inputs.numpy_input_fn: x"
        raise wrong_type(argument, "an array or a dict of arrays", x)

    def input_fn() -> Any:
        dataset = Dataset.from_tensor_slices(x if y is None else (x, y))
        if shuffle:
            dataset = dataset.shuffle(queue_capacity)
        dataset = dataset.repeat(num_epochs).batch(batch_size)
        return dataset.make_one_shot_iterator().get_next()

    return input_fn
