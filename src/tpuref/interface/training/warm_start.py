"""Initialize variables with the values of another model's checkpoint."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from tpuref.base.arguments import wrong_type
from tpuref.engine.graph.default import get_default_graph
from tpuref.engine.graph.graph import GraphKeys
from tpuref.engine.graph.tensor import Tensor
from tpuref.engine.graph.variables import Variable
from tpuref.engine.ops.definition import Array
from tpuref.interface.checkpoints.initialization import (
    init_from_checkpoint,
    load_variable,
)
from tpuref.interface.files.filesystem import PathLike, files_at
from tpuref.interface.functions.initializers import Zeros
from tpuref.interface.functions.selection import where
from tpuref.interface.training.log import log


class VocabInfo(NamedTuple):
    """The words of a variable's rows or columns, now and in a checkpoint.

    `new_vocab` and `new_vocab_size` are the file with one word per line, and the number
    of words to use.  `num_oov_buckets` is the number of further rows, for other words.
    `old_vocab` and `old_vocab_size` are the same for the checkpoint; -1 for all lines.
    `backup_initializer` is the initializer of further rows and new words; by default
    zeros.  `axis` is 0 if words are rows, 1 if they are columns.
    """

    new_vocab: str
    new_vocab_size: int
    num_oov_buckets: int
    old_vocab: str
    old_vocab_size: int = -1
    backup_initializer: Any = None
    axis: int = 0


class WarmStartSettings(NamedTuple):
    """The arguments of `warm_start`, for an Estimator.

    `ckpt_to_initialize_from`, `vars_to_warm_start`, `var_name_to_vocab_info` and
    `var_name_to_prev_var_name` are as for `warm_start`.
    """

    ckpt_to_initialize_from: PathLike
    vars_to_warm_start: Any = ".*"
    var_name_to_vocab_info: Mapping[str, VocabInfo] | None = None
    var_name_to_prev_var_name: Mapping[str, str] | None = None


def warm_start(
    ckpt_to_initialize_from: PathLike,
    vars_to_warm_start: Any = ".*",
    var_name_to_vocab_info: Mapping[str, VocabInfo] | None = None,
    var_name_to_prev_var_name: Mapping[str, str] | None = None,
) -> None:
    """Set the initial values of variables to those of a checkpoint.

    Call it before `tf.global_variables_initializer`.  `ckpt_to_initialize_from` is a
    checkpoint, or a directory, whose last checkpoint is read.  `vars_to_warm_start` is
    a pattern for the names of trainable variables; a list of patterns for the names of
    any variables; a list of variables; or None for only those of
    `var_name_to_vocab_info`, which has a `VocabInfo` by variable name.
    `var_name_to_prev_var_name` has the variable's name in the checkpoint by its name
    now, where they differ.  It raises ValueError if the checkpoint lacks a variable.

    Examples
    --------
    >>> import os, tempfile
    >>> w = tf.get_variable("w", initializer=[1.0, 2.0])
    >>> with tf.Session() as sess:
    ...     sess.run(w.initializer)
    ...     path = tf.train.Saver().save(sess, os.path.join(tempfile.mkdtemp(), "m"))
    >>> with tf.Graph().as_default(), tf.Session() as sess:
    ...     v = tf.get_variable("v", [2])
    ...     tf.train.warm_start(path, var_name_to_prev_var_name={"v": "w"})
    ...     sess.run(tf.global_variables_initializer())
    ...     sess.run(v)
    array([1., 2.], dtype=float32)
    """
    vocabularies = _by_name("var_name_to_vocab_info", var_name_to_vocab_info)
    renamed = _by_name("var_name_to_prev_var_name", var_name_to_prev_var_name)
    log.info("Warm-starting from: %s", ckpt_to_initialize_from)
    known = get_default_graph().variables_by_name
    chosen = {v.op.name: v for v in _select_variables(vars_to_warm_start)}
    chosen |= {name: known[name] for name in vocabularies if name in known}
    _warn_of_unused("var_name_to_prev_var_name", renamed, chosen)
    _warn_of_unused("var_name_to_vocab_info", vocabularies, chosen)
    whole = []
    for name, variable in chosen.items():
        earlier = renamed.get(name, name)
        if name in vocabularies:
            before = load_variable(ckpt_to_initialize_from, earlier)
            variable.start_with(_remap_rows(before, variable, vocabularies[name]))
        else:
            whole.append((earlier, variable))
    init_from_checkpoint(ckpt_to_initialize_from, whole)
    log.info("Warm-started %d variables.", len(chosen))


def _by_name(argument: str, given: Any) -> dict[str, Any]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise wrong_type(f"tf.train.warm_start: {argument}", "a dict from names", given)
    return dict(given)


def _select_variables(given: Any) -> list[Variable]:
    graph = get_default_graph()
    if given is None:
        return []
    if isinstance(given, str):
        return graph.get_collection(GraphKeys.TRAINABLE_VARIABLES, given)
    if not isinstance(given, list | tuple) or not all(
        isinstance(one, str | Variable) for one in given
    ):
        raise wrong_type(
            "tf.train.warm_start: vars_to_warm_start",
            "a pattern, a list of patterns, a list of variables, or None",
            given,
        )
    variables: list[Variable] = []
    for one in given:
        variables += (
            graph.get_collection(GraphKeys.GLOBAL_VARIABLES, one)
            if isinstance(one, str)
            else [one]
        )
    return variables


def _warn_of_unused(
    argument: str, given: Mapping[str, Any], chosen: Mapping[str, Variable]
) -> None:
    unused = sorted(given.keys() - chosen.keys())
    if unused:
        log.warning(
            "tf.train.warm_start: %s names %s, which are not warm-started; the "
            "warm-started variables are %s",
            argument,
            unused,
            sorted(chosen),
        )


def _remap_rows(before: Array, variable: Variable, vocabulary: VocabInfo) -> Tensor:
    """Return the initial value: rows of old words from `before`, others initialized."""
    axis = vocabulary.axis
    old = {word: k for k, word in enumerate(_words(vocabulary, "old"))}
    rows = [old.get(word, -1) for word in _words(vocabulary, "new")]
    index = np.array([*rows, *[-1] * vocabulary.num_oov_buckets])
    shape = [1, 1]
    shape[axis] = index.size
    known = (index >= 0).reshape(shape)
    initializer = vocabulary.backup_initializer or Zeros()
    sizes = [int(size or 0) for size in variable.shape.as_list()]
    others = initializer(sizes, dtype=variable.dtype)
    return where(np.broadcast_to(known, sizes), before.take(index, axis), others)


def _words(vocabulary: VocabInfo, which: str) -> list[bytes]:
    """Return the words of a vocabulary, the ``"old"`` or the ``"new"`` one."""
    given = getattr(vocabulary, f"{which}_vocab")
    size = getattr(vocabulary, f"{which}_vocab_size")
    files, path = files_at(given, "tf.train.VocabInfo", f"{which}_vocab")
    with files.open(path, "rb") as file:
        words = file.read().splitlines()
    return words if size < 0 else words[:size]
