"""Read checkpoints without a saver, and initialize variables from them."""

import logging
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.arguments import instance_of, listed, wrong_type
from tpuref.engine.graph.default import executing_eagerly, get_default_graph
from tpuref.engine.graph.tensor import Operation, Tensor
from tpuref.engine.graph.variables import Variable
from tpuref.engine.ops.definition import Array
from tpuref.interface.checkpoints.saver import Saver, check_fits, variables_by_name
from tpuref.interface.checkpoints.state import latest_checkpoint
from tpuref.interface.checkpoints.stored import CheckpointReader
from tpuref.interface.files.filesystem import PathLike, files_at
from tpuref.interface.functions.dependencies import group
from tpuref.interface.functions.placeholders import placeholder

_ASSIGN = "tf.contrib.framework.assign_from_checkpoint_fn"
_log = logging.getLogger("tpuref.interface.checkpoints")


def load_checkpoint(ckpt_dir_or_file: PathLike) -> CheckpointReader:
    """Return a reader of a checkpoint.

    Of a directory, the last checkpoint is read.  It raises ValueError if a directory
    has no checkpoint, and `tf.errors.NotFoundError` if a prefix has none.
    """
    files, path = files_at(
        ckpt_dir_or_file, "tf.train.load_checkpoint", "ckpt_dir_or_file"
    )
    if not files.isdir(path):
        return CheckpointReader(path)
    last = latest_checkpoint(path)
    if last is None:
        raise codes.NO_CHECKPOINT.value_error(
            f"tf.train.load_checkpoint: the directory {path!r} has no checkpoint"
        )
    return CheckpointReader(last)


def load_variable(ckpt_dir_or_file: PathLike, name: str) -> Array:
    """Return a tensor of a checkpoint.

    `ckpt_dir_or_file` is as for `load_checkpoint`.  `name` is the name in the
    checkpoint, with or without ``:0``.
    """
    instance_of(str, "tf.train.load_variable: name", "a string", name)
    return load_checkpoint(ckpt_dir_or_file).get_tensor(name.removesuffix(":0"))


def list_variables(ckpt_dir_or_file: PathLike) -> list[tuple[str, list[int]]]:
    """Return the names and shapes in a checkpoint, sorted by name."""
    return sorted(load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map().items())


def init_from_checkpoint(ckpt_dir_or_file: PathLike, assignment_map: Any) -> None:
    """Set the initial values of variables to those of a checkpoint.

    Initializers are replaced, so call it before `tf.global_variables_initializer`.
    Other parameters are those of `load_checkpoint`.  `assignment_map` is a map from
    names in the checkpoint to variables, their names, or lists of those.  ``"there/":
    "here/"`` maps all variables of a scope; ``"/"`` is the outermost scope.  It raises
    ValueError if the checkpoint or the graph lacks a variable, or a scope has no
    variables, and `tf.errors.InvalidArgumentError` if a shape or dtype differs.

    Examples
    --------
    >>> import os, tempfile
    >>> w = tf.get_variable("old/w", initializer=[1.0, 2.0])
    >>> with tf.Session() as sess:
    ...     sess.run(w.initializer)
    ...     path = tf.train.Saver().save(sess, os.path.join(tempfile.mkdtemp(), "m"))
    >>> v = tf.get_variable("new/w", [2])
    >>> tf.train.init_from_checkpoint(path, {"old/": "new/"})
    >>> with tf.Session() as sess:
    ...     sess.run(tf.global_variables_initializer())
    ...     sess.run(v)
    array([1., 2.], dtype=float32)
    """
    reader = load_checkpoint(ckpt_dir_or_file)
    pairs = _pairs(assignment_map)
    starts = [
        pair for there, here in pairs for pair in _assignments(reader, there, here)
    ]
    for name, variable in starts:
        if not reader.has_tensor(name):
            raise _missing_error(f"the checkpoint has no {name!r}")
        check_fits(reader, name, variable)
    for name, variable in starts:
        value = reader.get_tensor(name)
        if executing_eagerly():
            variable.restore(value)
        else:
            variable.start_with(value)


def assign_from_checkpoint(
    model_path: PathLike, var_list: Any, ignore_missing_vars: bool = False
) -> tuple[Operation | None, dict[Tensor, Array]]:
    """Return an operation that assigns the values of a checkpoint, and its feeds.

    Run it with ``session.run(assign, feeds)``.  A value of another shape but the same
    size is reshaped.  Parameters are those of `assign_from_checkpoint_fn`.  It raises
    ValueError if the checkpoint lacks a variable, or a size differs.

    Examples
    --------
    >>> import os, tempfile
    >>> v = tf.get_variable("v", initializer=[1.0, 2.0])
    >>> with tf.Session() as sess:
    ...     sess.run(v.initializer)
    ...     path = tf.train.Saver().save(sess, os.path.join(tempfile.mkdtemp(), "m"))
    ...     assign, feeds = tf.contrib.framework.assign_from_checkpoint(path, [v])
    ...     sess.run(v.assign([0.0, 0.0]))
    ...     sess.run(assign, feeds)
    ...     sess.run(v)
    array([0., 0.], dtype=float32)
    array([1., 2.], dtype=float32)
    """
    function = "tf.contrib.framework.assign_from_checkpoint"
    reader = CheckpointReader(model_path)
    variables = variables_by_name(var_list)
    if ignore_missing_vars:
        _drop_missing(function, reader, model_path, variables)
    assigned: list[Operation] = []
    feeds: dict[Tensor, Array] = {}
    for name, variable in variables.items():
        if not reader.has_tensor(name):
            raise codes.NOT_IN_CHECKPOINT.value_error(
                f"{function}: the checkpoint {model_path!r} has no {name!r}; set "
                "ignore_missing_vars=True to keep the value of such a variable"
            )
        value, shape = reader.get_tensor(name), variable.shape.as_tuple()
        if value.size != variable.shape.num_elements():
            raise codes.WRONG_SHAPE.value_error(
                f"{function}: {name!r} has shape {value.shape} in the checkpoint "
                f"{model_path!r}; expected as many elements as in {shape}"
            )
        fed = placeholder(variable.dtype, shape, name=f"{variable.op.name}/restored")
        feeds[fed] = value.reshape(shape)
        assigned.append(variable.assign(fed, read_value=False))
    return group(*assigned), feeds


def assign_from_checkpoint_fn(
    model_path: PathLike,
    var_list: Any,
    ignore_missing_vars: bool = False,
    reshape_variables: bool = False,
) -> Callable[[Any], None] | None:
    """Return a function of a session that restores variables from a checkpoint.

    It can be the ``init_fn`` of a `tf.train.Scaffold`.  Return None if no variable is
    left.  `var_list` are the variables: a list, or a dict from names in the checkpoint
    to variables.  `ignore_missing_vars` says whether to skip variables that the
    checkpoint lacks, with a warning.  `reshape_variables` says whether a tensor of
    another shape but the same size is reshaped for a variable.  It raises ValueError if
    there are no variables.
    """
    variables = variables_by_name(var_list)
    if not variables:
        raise codes.CANNOT_SAVE.value_error(f"{_ASSIGN}: var_list is empty")
    if ignore_missing_vars:
        _drop_missing(_ASSIGN, CheckpointReader(model_path), model_path, variables)
    if not variables:
        return None
    saver = Saver(variables, reshape=reshape_variables)
    return lambda session: saver.restore(session, model_path)


def _drop_missing(
    function: str,
    reader: CheckpointReader,
    path: PathLike,
    variables: dict[str, Variable],
) -> None:
    for name in [name for name in variables if not reader.has_tensor(name)]:
        _log.warning("%s: the checkpoint %s has no %s", function, path, name)
        del variables[name]


def _pairs(assignment_map: Any) -> list[tuple[str, Any]]:
    argument = "tf.train.init_from_checkpoint: assignment_map"
    expected = "a dict from names, or a list of pairs with a name"
    if isinstance(assignment_map, Mapping):
        assignment_map = assignment_map.items()
    pairs = listed(argument, assignment_map, expected)
    for pair in pairs:
        if not (
            isinstance(pair, (list, tuple))
            and len(pair) == 2
            and isinstance(pair[0], str)
        ):
            raise wrong_type(argument, expected, assignment_map)
    return pairs


def _assignments(
    reader: CheckpointReader, there: str, here: Any
) -> Iterator[tuple[str, Variable]]:
    """Yield the names in the checkpoint and the variables of an entry of the map."""
    if isinstance(here, (list, tuple)):
        for one in here:
            yield from _assignments(reader, there, one)
    elif isinstance(here, Variable):
        yield there, here
    elif not isinstance(here, str):
        raise wrong_type(
            f"tf.train.init_from_checkpoint: assignment_map[{there!r}]",
            "a variable, a name or a list of those",
            here,
        )
    elif there.endswith("/"):
        yield from _in_scope(reader, there, here)
    else:
        known = get_default_graph().variables_by_name
        if here not in known:
            raise _missing_error(f"there is no variable {here!r} in the graph")
        yield there, known[here]


def _in_scope(
    reader: CheckpointReader, there: str, here: str
) -> Iterator[tuple[str, Variable]]:
    scope = "" if here == "/" else here.rstrip("/") + "/"
    variables = {
        there.removeprefix("/") + name.removeprefix(scope): variable
        for name, variable in get_default_graph().variables_by_name.items()
        if name.startswith(scope)
    }
    if not variables:
        raise _missing_error(f"there are no variables in the scope {here!r}")
    yield from variables.items()


def _missing_error(why: str) -> ValueError:
    return codes.NOT_IN_CHECKPOINT.value_error(
        f"tf.train.init_from_checkpoint: {why}; the keys of assignment_map name "
        "variables of the checkpoint, the values those here"
    )
