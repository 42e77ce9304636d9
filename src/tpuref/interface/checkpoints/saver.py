"""Define the saver, which writes variables to checkpoints and restores them."""

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base.arguments import instance_of, listed
from tpuref.base.errors import InvalidArgumentError, NotFoundError
from tpuref.engine.graph.default import executing_eagerly, get_default_graph
from tpuref.engine.graph.graph import GraphKeys
from tpuref.engine.graph.tensor import Tensor
from tpuref.engine.graph.variables import Variable
from tpuref.engine.ops.definition import Array
from tpuref.interface.checkpoints.kept import KeptCheckpoints
from tpuref.interface.checkpoints.state import update_checkpoint_state
from tpuref.interface.checkpoints.stored import CheckpointReader, write_checkpoint
from tpuref.interface.checkpoints.tensor_file import check_storable
from tpuref.interface.files.filesystem import PathLike, failures, files_at

_log = logging.getLogger("tensorflow")  # the program's, as in TensorFlow 1


@dataclass
class SaverDef:
    """The configuration of a saver.

    `max_to_keep`, `keep_checkpoint_every_n_hours` and `sharded` are as for `Saver`.
    `version` is accepted for compatibility; there is one format.
    """

    LEGACY: ClassVar[int] = 0
    V1: ClassVar[int] = 1
    V2: ClassVar[int] = 2

    max_to_keep: int = 5
    keep_checkpoint_every_n_hours: float = 10000.0
    sharded: bool = False
    version: int = 2


class Saver:
    """Writes variables to checkpoints, and restores them.

    It raises ValueError if there are no variables, or two have the same name, and
    TypeError if an entry is not a variable or contains text.

    Parameters
    ----------
    var_list
        The variables: a list, or a dict from names in the checkpoint to variables; by
        default all global variables, and the collection ``saveable_objects``.
    reshape
        Whether a tensor of another shape but the same size is reshaped for a variable.
    max_to_keep
        The number of checkpoints to keep; 0 or None for all.
    keep_checkpoint_every_n_hours
        The interval of checkpoints that are never deleted.
    saver_def
        A `SaverDef` with these numbers.
    allow_empty
        Whether there may be no variables.
    pad_step_number
        Whether the step is written with eight digits.
    save_relative_paths
        Accepted for compatibility; the state file always has relative paths.

    Examples
    --------
    >>> import os, tempfile
    >>> w = tf.Variable([1.0, 2.0], name="w")
    >>> saver = tf.train.Saver()
    >>> folder = tempfile.mkdtemp()
    >>> with tf.Session() as sess:
    ...     sess.run(w.initializer)
    ...     path = saver.save(sess, os.path.join(folder, "model"), global_step=7)
    >>> os.path.basename(path)
    'model-7'
    >>> with tf.Session() as sess:
    ...     saver.restore(sess, tf.train.latest_checkpoint(folder))
    ...     sess.run(w)
    array([1., 2.], dtype=float32)
    """

    def __init__(
        self,
        var_list: Any = None,
        reshape: bool = False,
        sharded: bool = False,
        max_to_keep: int | None = 5,
        keep_checkpoint_every_n_hours: float = 10000.0,
        name: str | None = None,
        restore_sequentially: bool = False,
        saver_def: SaverDef | None = None,
        builder: Any = None,
        defer_build: bool = False,
        allow_empty: bool = False,
        write_version: int = SaverDef.V2,
        pad_step_number: bool = False,
        save_relative_paths: bool = False,
        filename: str | None = None,
    ) -> None:
        if saver_def is None:
            saver_def = SaverDef(
                max_to_keep or 0, keep_checkpoint_every_n_hours, sharded
            )
        self.saver_def = instance_of(
            SaverDef, "tf.train.Saver: saver_def", "a tf.train.SaverDef", saver_def
        )
        self._given, self._reshape = var_list, reshape
        self._allow_empty, self._pad = allow_empty, pad_step_number
        self._variables: dict[str, Variable] | None = None
        self._kept = KeptCheckpoints(
            "tf.train.Saver",
            self.saver_def.max_to_keep,
            self.saver_def.keep_checkpoint_every_n_hours,
        )
        if not defer_build:
            self.build()

    def build(self) -> None:
        """Collect the variables, if the constructor deferred it."""
        if self._variables is not None:
            return
        given = self._given
        if given is None:
            if executing_eagerly():
                raise codes.WRONG_MODE.runtime_error(
                    "tf.train.Saver: in eager mode no graph lists the variables; give "
                    "var_list, or use tf.train.Checkpoint"
                )
            graph = get_default_graph()
            given = graph.get_collection(GraphKeys.GLOBAL_VARIABLES)
            given += graph.get_collection(GraphKeys.SAVEABLE_OBJECTS)
        variables = variables_by_name(given)
        if not variables and not self._allow_empty:
            raise codes.CANNOT_SAVE.value_error(
                "tf.train.Saver: there are no variables to save; make them first, or "
                "give allow_empty=True"
            )
        self._variables = variables

    def save(
        self,
        sess: Any,
        save_path: PathLike,
        global_step: Any = None,
        latest_filename: str | None = None,
        meta_graph_suffix: str = "meta",
        write_meta_graph: bool = True,
        write_state: bool = True,
        strip_default_attrs: bool = False,
        save_debug_info: bool = False,
    ) -> str | None:
        """Write a checkpoint, and remove the oldest one if there are too many.

        Return the prefix of the checkpoint, for `restore`; None if there are no
        variables (`allow_empty`).  `sess` is the session with the values; None in eager
        mode.  `save_path` is the prefix, such as ``"model/model.ckpt"``; its directory
        is created.  `global_step` is a number, tensor or variable to append to the
        prefix, after a ``-``.  `latest_filename` is the name of the state file, by
        default ``checkpoint``.  `meta_graph_suffix`, `write_meta_graph`,
        `strip_default_attrs` and `save_debug_info` are accepted for compatibility; no
        graph is written.  It raises `tf.errors.FailedPreconditionError` if a variable
        is not initialized, and ValueError if `latest_filename` is the name of the
        checkpoint.
        """
        return self.begin_save(
            sess, save_path, global_step, latest_filename, write_state
        )()

    def begin_save(
        self,
        sess: Any,
        save_path: PathLike,
        global_step: Any = None,
        latest_filename: str | None = None,
        write_state: bool = True,
    ) -> Callable[[], str | None]:
        """Read the values now; return a function that writes them, as for `save`."""
        files, path = files_at(save_path, "tf.train.Saver.save", "save_path")
        directory, _, last = path.rpartition("/")
        if last == (latest_filename or "checkpoint") and global_step is None:
            raise codes.CANNOT_SAVE.value_error(
                f"tf.train.Saver.save: {path!r} is the state file of its directory; "
                "choose another name, such as 'model.ckpt'"
            )
        self.build()
        step = _step(sess, global_step)
        if step is not None:
            path = f"{path}-{step:08d}" if self._pad else f"{path}-{step}"
        values = current_values(sess, self._variables or {})

        def write() -> str | None:
            if not values:
                return None
            with failures("tf.train.Saver.save", directory):
                if directory and not files.exists(directory):
                    files.makedirs(directory)
            self._kept.add(path, write_checkpoint(path, values))
            if write_state:
                update_checkpoint_state(
                    directory,
                    path,
                    self._kept.paths,
                    latest_filename,
                    list(self._kept.times.values()),
                )
            self._kept.remove_surplus()
            return path

        return write

    def restore(self, sess: Any, save_path: PathLike) -> None:
        """Restore the variables from a checkpoint.

        `sess` is the session; None in eager mode.  `save_path` is the result of `save`
        or `tf.train.latest_checkpoint`.  It raises ValueError if `save_path` is None;
        NotFoundError if there is no such checkpoint, or it lacks a variable;
        InvalidArgumentError if a shape or dtype differs.
        """
        if save_path is None:
            raise codes.NO_CHECKPOINT.value_error(
                "tf.train.Saver.restore: save_path is None; "
                "tf.train.latest_checkpoint returns None where there is no checkpoint"
            )
        self.build()
        variables = self._variables
        if not variables:
            return
        reader = CheckpointReader(save_path)
        missing = [name for name in variables if not reader.has_tensor(name)]
        if missing:
            raise NotFoundError(
                f"tf.train.Saver.restore: the checkpoint {str(save_path)!r} has no "
                f"values for the variables {', '.join(missing[:8])}"
                f"{' ...' if missing[8:] else ''}; restore fewer with var_list, or "
                "give the names that tf.train.list_variables lists",
                code=codes.NOT_IN_CHECKPOINT,
            )
        _log.info("Restoring parameters from %s", save_path)
        for name, variable in variables.items():
            check_fits(reader, name, variable, self._reshape)
        for name, variable in variables.items():
            value = reader.get_tensor(name)
            if self._reshape and variable.shape.is_fully_defined():
                value = value.reshape(variable.shape.as_tuple())
            variable.restore(value, sess)

    @property
    def last_checkpoints(self) -> list[str]:
        """The prefixes of the current checkpoints, oldest first."""
        return self._kept.paths

    def set_last_checkpoints(self, last_checkpoints: Sequence[str]) -> None:
        """Replace the list of current checkpoints."""
        self._kept.times = dict.fromkeys(last_checkpoints, time.time())

    def set_last_checkpoints_with_time(
        self, last_checkpoints_with_time: Sequence[tuple[str, float]]
    ) -> None:
        """Replace the list of checkpoints, with their times in seconds since 1970."""
        self._kept.times = dict(last_checkpoints_with_time)

    def recover_last_checkpoints(self, checkpoint_paths: Sequence[str]) -> None:
        """Replace the list by those checkpoints of an earlier process that exist."""
        self._kept.recover(checkpoint_paths)

    def as_saver_def(self) -> SaverDef:
        """Return the configuration of the saver."""
        return self.saver_def

    def to_proto(self, export_scope: str | None = None) -> SaverDef:
        """Return the configuration of the saver."""
        return self.saver_def


def variables_by_name(var_list: Any) -> dict[str, Variable]:
    """Return a variable, list or dict of variables as a dict, sorted by name."""
    if isinstance(var_list, Mapping):
        pairs = list(var_list.items())
    else:
        several = (
            [var_list]
            if isinstance(var_list, Variable)
            else listed(
                "variables", var_list, "a variable, or a list or dict of variables"
            )
        )
        pairs = [(getattr(one, "name", "").split(":")[0], one) for one in several]
    by_name: dict[str, Variable] = {}
    for name, variable in pairs:
        if not isinstance(variable, Variable):
            raise codes.CANNOT_SAVE.type_error(
                f"tf.train.Saver: var_list must hold variables, got {variable!r}"
            )
        if by_name.setdefault(name, variable) is not variable:
            raise codes.CANNOT_SAVE.value_error(
                f"tf.train.Saver: two variables have the name {name!r}; give a dict "
                "with a name for each"
            )
        check_storable(name, variable.dtype)
    return dict(sorted(by_name.items()))


def current_values(session: Any, variables: Mapping[str, Variable]) -> dict[str, Array]:
    """Return the values of variables, read in one run, or eagerly without a session."""
    if session is None:
        return {name: np.asarray(v.numpy()) for name, v in variables.items()}
    return {n: np.asarray(v) for n, v in session.run(dict(variables)).items()}


def _step(session: Any, step: Any) -> int | None:
    """Return the number of a step, also from a tensor or a variable."""
    if isinstance(step, (Tensor, Variable)) and session is not None:
        step = session.run(step)
    return None if step is None else int(step)


def check_fits(
    reader: CheckpointReader, name: str, variable: Variable, reshape: bool = False
) -> None:
    """Raise InvalidArgumentError for a tensor of another dtype or shape."""
    entry = reader.entry(name)
    dtype, shape = entry.dtype, entry.shape
    fits = variable.shape.is_compatible_with(shape)
    if reshape and variable.shape.is_fully_defined():
        fits = variable.shape.num_elements() == int(np.prod(shape))
    if dtype != variable.dtype or not fits:
        raise InvalidArgumentError(
            f"the checkpoint has {name!r} as {dtype.name} of shape {list(shape)}, the "
            f"variable {variable.name!r} is {variable.dtype.name} of shape "
            f"{variable.shape}",
            code=codes.VARIABLE_MISMATCH,
        )
