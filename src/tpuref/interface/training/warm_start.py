"""Initialize variables with the values of another model's checkpoint."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from tpuref.base.arguments import wrong_type
from tpuref.engine.graph.default import get_default_graph
from tpuref.engine.graph.graph import GraphKeys
from tpuref.engine.graph.variables import Variable
from tpuref.interface.checkpoints.initialization import init_from_checkpoint
from tpuref.interface.files.filesystem import PathLike
from tpuref.interface.training.log import log


class WarmStartSettings(NamedTuple):
    """The arguments of `warm_start`, for an Estimator.

    `ckpt_to_initialize_from`, `vars_to_warm_start`, `var_name_to_vocab_info` and
    `var_name_to_prev_var_name` are as for `warm_start`.
    """

    ckpt_to_initialize_from: PathLike
    vars_to_warm_start: Any = ".*"
    var_name_to_vocab_info: None = None
    var_name_to_prev_var_name: Mapping[str, str] | None = None


def warm_start(
    ckpt_to_initialize_from: PathLike,
    vars_to_warm_start: Any = ".*",
    var_name_to_vocab_info: None = None,
    var_name_to_prev_var_name: Mapping[str, str] | None = None,
) -> None:
    """Set the initial values of variables to those of a checkpoint.

    Call it before `tf.global_variables_initializer`.  `ckpt_to_initialize_from` is a
    checkpoint, or a directory, whose last checkpoint is read.  `vars_to_warm_start` is
    a pattern for the names of trainable variables; a list of patterns for the names of
    any variables; a list of variables; or None for none.  `var_name_to_vocab_info` must
    be None: rows are not chosen by words.  `var_name_to_prev_var_name` has the
    variable's name in the checkpoint by its name now, where they differ.  It raises
    ValueError if the checkpoint lacks a variable.

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
    if var_name_to_vocab_info:
        raise wrong_type(
            "tf.train.warm_start: var_name_to_vocab_info",
            "None; choose rows of tf.train.load_variable in an initializer instead",
            var_name_to_vocab_info,
        )
    renamed = _former_names(var_name_to_prev_var_name)
    log.info("Warm-starting from: %s", ckpt_to_initialize_from)
    chosen = {v.op.name: v for v in _select_variables(vars_to_warm_start)}
    _warn_of_unused(renamed, chosen)
    earlier = [(renamed.get(name, name), v) for name, v in chosen.items()]
    init_from_checkpoint(ckpt_to_initialize_from, earlier)
    log.info("Warm-started %d variables.", len(chosen))


def _former_names(names: Any) -> dict[str, str]:
    if names is None:
        return {}
    if not isinstance(names, Mapping):
        argument = "tf.train.warm_start: var_name_to_prev_var_name"
        raise wrong_type(argument, "a dict from names", names)
    return dict(names)


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


def _warn_of_unused(renamed: Mapping[str, str], chosen: Mapping[str, Variable]) -> None:
    unused = sorted(renamed.keys() - chosen.keys())
    if unused:
        log.warning(
            "tf.train.warm_start: var_name_to_prev_var_name names %s, which are not "
            "warm-started; the warm-started variables are %s",
            unused,
            sorted(chosen),
        )
