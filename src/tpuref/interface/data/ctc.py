"""Connectionist temporal classification: the loss of alignments, and decoders."""

from typing import Any

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base.arguments import integer
from tpuref.base.dtypes import int32, int64
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.tensor import Tensor
from tpuref.engine.ops.meaning import Array
from tpuref.interface.data.sparse import SparseTensor, to_dense
from tpuref.interface.functions.activations import log_softmax
from tpuref.interface.functions.comparison import equal, not_equal
from tpuref.interface.functions.conversion import cast
from tpuref.interface.functions.creation import fill, sequence_mask
from tpuref.interface.functions.creation import range as integers
from tpuref.interface.functions.extents import shape as shape_of
from tpuref.interface.functions.host_functions import py_func
from tpuref.interface.functions.indexing import gather
from tpuref.interface.functions.joining import concat, stack
from tpuref.interface.functions.mapping import foldl
from tpuref.interface.functions.reductions import reduce_logsumexp
from tpuref.interface.functions.repetition import pad
from tpuref.interface.functions.reshaping import reshape, transpose
from tpuref.interface.functions.scopes import name_scope
from tpuref.interface.functions.selection import where_v2

_IMPOSSIBLE = -1e30
"""The logarithm of a probability of 0: finite, so that its gradient is 0, not NaN."""


def ctc_loss(
    labels: Any,
    logits: Any,
    label_length: Any,
    logit_length: Any,
    logits_time_major: bool = True,
    unique: Any = None,
    blank_index: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Return the negative log probability of each row of labels, over all alignments.

    `labels` are integers of shape ``[batch, max_label_length]``, or a
    `tf.SparseTensor`.  `logits` are scores of shape ``[time, batch, classes]``, or
    ``[batch, time, classes]`` without `logits_time_major`.  `label_length` and
    `logit_length` are the lengths, of shape ``[batch]``; of sparse labels None, the
    numbers of labels.  `unique` is accepted for compatibility.  `blank_index` is the
    class of the blank, by default 0; negative ones count from the end.  The result has
    the shape ``[batch]``; a loss without any alignment is at least 1e30.

    Examples
    --------
    >>> with tf.eager_execution():
    ...     loss = tf.compat.v2.nn.ctc_loss([[1]], tf.zeros([2, 1, 2]), [1], [2])
    ...     round(float(loss[0].numpy()), 2)  # -log(3 / 4)
    0.29
    """
    with name_scope(name, "ctc_loss"):
        scores = convert_to_tensor(logits)
        if not logits_time_major:
            scores = transpose(scores, [1, 0, 2])
        if isinstance(labels, SparseTensor):
            rows = _lengths_of(labels)
            label_length = rows if label_length is None else label_length
            labels = to_dense(labels)
        targets = cast(convert_to_tensor(labels), int32)
        classes = shape_of(scores)[2]
        blank = cast(convert_to_tensor(blank_index or 0), int32)
        blank = where_v2(blank < 0, blank + classes, blank)
        lengths = cast(convert_to_tensor(label_length), int32)
        final = _forward(scores, _states(targets, blank), logit_length)
        ends = stack([2 * lengths, where_v2(lengths > 0, 2 * lengths - 1, 0)], 1)
        likelihoods = gather(final, ends, batch_dims=1)
        # Without labels there is one final state, the blank.
        reachable = stack([lengths >= 0, lengths > 0], 1)
        return -reduce_logsumexp(where_v2(reachable, likelihoods, _IMPOSSIBLE), 1)


def _lengths_of(labels: SparseTensor) -> Tensor:
    def count(rows: Array, shape: Array) -> Array:
        return np.bincount(rows, minlength=shape[0]).astype(np.int32)

    result: Tensor = py_func(count, [labels.indices[:, 0], labels.dense_shape], int32)
    result.set_shape([None])
    return result


def _states(labels: Tensor, blank: Tensor) -> Tensor:
    """Return the labels of each row with a blank before, between and after them."""
    blanks = fill(shape_of(labels), blank)
    pairs = reshape(stack([blanks, labels], 2), [shape_of(labels)[0], -1])
    return concat([pairs, fill([shape_of(labels)[0], 1], blank)], 1)


def _forward(scores: Tensor, states: Tensor, lengths: Any) -> Tensor:
    """Return the log probabilities of ending in each state, of shape [batch, states].

    A step stays in a state, enters the next one, or skips the blank between two labels
    that differ.
    """
    rows = transpose(log_softmax(scores), [1, 0, 2])
    times = shape_of(rows)[1]
    emitted = gather(rows, states[:, None] + 0 * integers(times)[:, None], batch_dims=2)
    emissions = transpose(emitted, [1, 0, 2])
    before = pad(states, [[0, 0], [2, 0]], constant_values=-1)[:, :-2]
    is_label = equal(integers(shape_of(states)[1]) % 2, 1)  # a label may be the blank
    from_two_before = is_label & not_equal(states, before)
    running = sequence_mask(cast(convert_to_tensor(lengths), int32), times)

    def moved(log_probs: Tensor, by: int) -> Tensor:
        return pad(log_probs, [[0, 0], [by, 0]], constant_values=_IMPOSSIBLE)[:, :-by]

    def step(log_probs: Tensor, now: tuple[Tensor, Tensor]) -> Tensor:
        emission, runs = now
        skipped = where_v2(from_two_before, moved(log_probs, 2), _IMPOSSIBLE)
        ways = stack([log_probs, moved(log_probs, 1), skipped], 0)
        return where_v2(runs[:, None], reduce_logsumexp(ways, 0) + emission, log_probs)

    # Before the first step one is at the first blank, without having emitted it: the
    # step then stays, or enters the first label.
    start = where_v2(equal(integers(shape_of(states)[1]), 0), 0.0, _IMPOSSIBLE)
    start = cast(start, scores.dtype) + 0 * emissions[0]
    final: Tensor = foldl(step, (emissions, transpose(running)), start)
    return final


def ctc_greedy_decoder(
    inputs: Any,
    sequence_length: Any,
    merge_repeated: bool = True,
    blank_index: int | None = None,
    name: str | None = None,
) -> tuple[list[SparseTensor], Tensor]:
    """Return the labels of the best class of each step, and minus the sum of logits.

    `inputs` are logits of shape ``[time, batch, classes]``.  `merge_repeated` counts a
    class that follows itself once.  `blank_index` is the class of the blank, by default
    the last.

    Examples
    --------
    >>> with tf.eager_execution():
    ...     logits = tf.constant([[[0.0, 5.0]], [[3.0, 1.0]]])
    ...     (labels,), score = tf.compat.v2.nn.ctc_greedy_decoder(logits, [2])
    ...     labels.values.numpy().tolist(), score.numpy().tolist()
    ([0], [[-8.0]])
    """
    scores = convert_to_tensor(inputs)
    blank = -1 if blank_index is None else blank_index

    def decode(logits: Array, lengths: Array) -> tuple[Array, ...]:
        times, _, classes = logits.shape
        best = logits.argmax(2).T
        kept = np.arange(times) < lengths[:, None]
        total = -np.where(kept, logits.max(2).T, 0).sum(1, keepdims=True)
        kept &= best != blank % classes
        if merge_repeated:
            kept[:, 1:] &= best[:, 1:] != best[:, :-1]
        paths = [row[chosen].tolist() for row, chosen in zip(best, kept, strict=True)]
        return (*_as_sparse(paths), total.astype(logits.dtype))

    *parts, total = _decode(decode, scores, sequence_length, 1)
    return [SparseTensor(*parts)], total


def ctc_beam_search_decoder(
    inputs: Any, sequence_length: Any, beam_width: int = 100, top_paths: int = 1
) -> tuple[list[SparseTensor], Tensor]:
    """Return the most probable rows of labels, and their log probabilities.

    `inputs` are logits of shape ``[time, batch, classes]``; the last class is the
    blank.  `beam_width` is the number of rows that are followed, `top_paths` how many
    of them are returned.

    Examples
    --------
    >>> with tf.eager_execution():
    ...     logits = tf.constant([[[0.0, 5.0]], [[3.0, 1.0]]])
    ...     (labels,), _ = tf.compat.v2.nn.ctc_beam_search_decoder(logits, [2])
    ...     labels.values.numpy().tolist()
    [0]
    """
    top_paths = integer("tf.nn.ctc_beam_search_decoder: top_paths", top_paths)
    beam_width = integer("tf.nn.ctc_beam_search_decoder: beam_width", beam_width)
    if top_paths > beam_width:
        raise codes.INVALID_ARGUMENT.value_error(
            f"tf.nn.ctc_beam_search_decoder: top_paths must be at most beam_width, got "
            f"{top_paths} and {beam_width}"
        )

    def decode(logits: Array, lengths: Array) -> tuple[Array, ...]:
        rows = [
            _beam_search(logits[:length, row], beam_width)[:top_paths]
            for row, length in enumerate(lengths)
        ]
        decoded: list[Array] = []
        for k in np.arange(top_paths):
            decoded += _as_sparse([list(row[k][0]) for row in rows])
        chances = [[chance for _, chance in row] for row in rows]
        return (*decoded, np.array(chances, logits.dtype))

    scores = convert_to_tensor(inputs)
    *parts, chances = _decode(decode, scores, sequence_length, top_paths)
    triples = zip(parts[::3], parts[1::3], parts[2::3], strict=True)
    return [SparseTensor(*triple) for triple in triples], chances


def _decode(decode: Any, scores: Tensor, lengths: Any, paths: int) -> list[Tensor]:
    types = [*[int64] * 3 * paths, scores.dtype]
    inputs = [scores, convert_to_tensor(lengths)]
    results: list[Tensor] = py_func(decode, inputs, types, name="CTCDecoder")
    shapes = [*[[None, 2], [None], [2]] * paths, [None, paths]]
    for result, shape in zip(results, shapes, strict=True):
        result.set_shape(shape)
    return results


def _as_sparse(rows: list[list[int]]) -> list[Array]:
    """Return the indices, values and dense shape of rows of labels."""
    places = [(r, k) for r, row in enumerate(rows) for k, _ in enumerate(row)]
    values = [label for row in rows for label in row]
    longest = max(map(len, rows), default=0)
    indices = np.array(places, np.int64).reshape(-1, 2)
    return [indices, np.array(values, np.int64), np.array([len(rows), longest])]


def _beam_search(logits: Array, width: int) -> list[tuple[tuple[int, ...], float]]:
    """Return the best prefixes of one row of logits with their log probabilities.

    Of each prefix the probabilities are known that its last step was a blank, and that
    it was a label: a label that repeats the last one extends only the former.
    """
    scores = logits.astype(np.float64)
    scores = scores - np.logaddexp.reduce(scores, 1, keepdims=True)
    beam: dict[tuple[int, ...], tuple[float, float]] = {(): (0.0, -np.inf)}
    for step in scores:
        after: dict[tuple[int, ...], tuple[float, float]] = {}
        for prefix, (blank, label) in beam.items():
            total = np.logaddexp(blank, label)
            stays = label + step[prefix[-1]] if prefix else -np.inf
            _add(after, prefix, total + step[-1], stays)
            for k, score in enumerate(step[:-1]):
                repeats = prefix[-1:] == (k,)
                entered = (blank if repeats else total) + score
                _add(after, (*prefix, k), -np.inf, entered)
        best = sorted(after, key=lambda prefix: -np.logaddexp(*after[prefix]))
        beam = {prefix: after[prefix] for prefix in best[:width]}
    return [(prefix, float(np.logaddexp(*pair))) for prefix, pair in beam.items()]


def _add(known: Any, prefix: tuple[int, ...], blank: float, label: float) -> None:
    old = known.get(prefix, (-np.inf, -np.inf))
    known[prefix] = np.logaddexp(old[0], blank), np.logaddexp(old[1], label)
