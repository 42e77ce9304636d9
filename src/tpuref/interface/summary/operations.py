"""Create the operations that summarize tensors in a session."""

from collections.abc import Callable, Sequence
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.arguments import instance_of, listed, name_or
from tpuref.base.dtypes import string
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.default import executing_eagerly, get_default_graph
from tpuref.engine.graph.graph import GraphKeys
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.host_functions import py_func
from tpuref.interface.summary import steps
from tpuref.interface.summary.values import (
    histogram_summary,
    image_summary,
    merged,
    scalar_summary,
    text_summary,
)


def scalar(
    name: str,
    tensor: Any = None,
    collections: Sequence[str] | None = None,
    family: str | None = None,
    step: Any = None,
    data: Any = None,
) -> Any:
    """Return the summary of a number, for TensorBoard's curves.

    It is a string with a serialized `tf.Summary`, for `FileWriter.add_summary`.  The
    tag is `name` with the names of the scopes.  `tensor` is the number.  `collections`
    are the collections to join, by default that of `tf.summary.merge_all`.  `family` is
    a prefix of the tag, which groups curves.  With a `step`, and the number as `tensor`
    or `data`, the function writes to the default writer as in TensorFlow 2; see
    `create_file_writer`.

    Examples
    --------
    >>> summary = tf.Summary.FromString(
    ...     tf.Session().run(tf.summary.scalar("loss", 0.5)))
    >>> summary.value[0].tag, summary.value[0].simple_value
    ('loss', 0.5)
    """
    if step is not None or data is not None:
        return steps.scalar(name, tensor if data is None else data, step)
    return _summary(
        "tf.summary.scalar", scalar_summary, name, tensor, collections, family
    )


def histogram(
    name: str,
    values: Any,
    collections: Sequence[str] | None = None,
    family: str | None = None,
    step: Any = None,
) -> Any:
    """Return the summary of the distribution of a tensor's elements.

    `name`, `collections`, `family` and `step` are as for `scalar`.  `values` are finite
    numbers of any shape.
    """
    if step is not None:
        return steps.histogram(name, values, step)
    return _summary(
        "tf.summary.histogram", histogram_summary, name, values, collections, family
    )


def image(
    name: str,
    tensor: Any,
    max_outputs: int = 3,
    collections: Sequence[str] | None = None,
    family: str | None = None,
    step: Any = None,
) -> Any:
    """Return the summary of images.

    `tensor` is uint8, or real numbers that are scaled, of shape
    ``[batch, height, width, channels]`` with 1, 3 or 4 channels.  `max_outputs` is the
    number of images of the batch to write.  Other parameters are those of `scalar`.
    """
    if step is not None:
        return steps.image(name, tensor, step, max_outputs)

    def summarize(tag: str, value: Any) -> bytes:
        return image_summary(tag, value, max_outputs)

    return _summary("tf.summary.image", summarize, name, tensor, collections, family)


def text(
    name: str, tensor: Any, collections: Sequence[str] | None = None, step: Any = None
) -> Any:
    """Return the summary of texts, which TensorBoard shows as Markdown.

    `name`, `collections` and `step` are as for `scalar`.  `tensor` holds strings; a
    matrix is a table.
    """
    texts = convert_to_tensor(tensor)
    if texts.dtype != string:
        raise codes.INVALID_ARGUMENT.value_error(
            f"tf.summary.text: {name!r} takes strings, got {texts.describe()}; use "
            "tf.as_string or tf.summary.scalar"
        )
    if step is not None:
        return steps.text(name, texts, step)
    return _summary("tf.summary.text", text_summary, name, texts, collections, None)


def _summary(
    function: str,
    summarize: Callable[[str, Any], bytes],
    name: str,
    tensor: Any,
    collections: Sequence[str] | None,
    family: str | None,
) -> Tensor:
    if executing_eagerly():
        raise codes.WRONG_MODE.runtime_error(
            f"{function}: in eager mode there is no graph to join; write with a step: "
            f"{function}(name, data, step=step) with tf.summary.create_file_writer"
        )
    value = convert_to_tensor(tensor)
    label = steps.clean_name(instance_of(str, f"{function}: name", "a string", name))
    graph = get_default_graph()
    with graph.name_scope(f"{family}/{label}" if family else label) as scope:
        tag = scope[:-1] if family is None else f"{family}/{scope[:-1]}"
        result: Tensor = py_func(
            lambda v: summarize(tag, v), [value], string, name=scope
        )
    result.set_shape([])
    names = [GraphKeys.SUMMARIES] if collections is None else collections
    graph.add_to_collections(listed(f"{function}: collections", names), result)
    return result


def merge(
    inputs: Sequence[Any],
    collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Tensor:
    """Return several summaries as one.

    `inputs` are the results of `scalar`, `histogram` and so on.  `collections` are the
    collections to join, by default none.  It raises `tf.errors.InvalidArgumentError` at
    evaluation if two summaries have the same tag.
    """
    result: Tensor = py_func(
        lambda *parts: merged(parts),
        listed("tf.summary.merge: inputs", inputs),
        string,
        name=name_or(name, "Merge"),
    )
    result.set_shape([])
    get_default_graph().add_to_collections(
        []
        if collections is None
        else listed("tf.summary.merge: collections", collections),
        result,
    )
    return result


def merge_all(
    key: str = GraphKeys.SUMMARIES, scope: str | None = None, name: str | None = None
) -> Tensor | None:
    """Return all summaries of the graph as one, or None.

    `scope` is a pattern of the names to include.
    """
    summaries = get_default_graph().get_collection(key, scope)
    return merge(summaries, name=name) if summaries else None
