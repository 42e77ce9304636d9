"""Save and restore variables by the attributes of objects that lead to them."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base.arguments import instance_of
from tpuref.base.errors import coded
from tpuref.engine.graph.context import get_default_session
from tpuref.engine.graph.default import executing_eagerly, get_default_graph
from tpuref.engine.graph.variables import Variable, deferred
from tpuref.interface.checkpoints.kept import KeptCheckpoints
from tpuref.interface.checkpoints.object_graph import ObjectGraph, members
from tpuref.interface.checkpoints.saver import check_fits, current_values
from tpuref.interface.checkpoints.state import (
    get_checkpoint_state,
    update_checkpoint_state,
)
from tpuref.interface.checkpoints.stored import CheckpointReader, write_checkpoint
from tpuref.interface.checkpoints.tensor_file import check_storable
from tpuref.interface.files.filesystem import PathLike, failures, files_at, joined

_log = logging.getLogger("tpuref.interface.checkpoints")


class Checkpoint:
    """Saves and restores objects' variables, named by the paths of attributes to them.

    `**kwargs` holds variables, lists and dicts of them, and objects with such
    attributes.  They become attributes of the checkpoint.

    Examples
    --------
    >>> import os, tempfile
    >>> prefix = os.path.join(tempfile.mkdtemp(), "ckpt")
    >>> with tf.eager_execution():
    ...     step = tf.Variable(3)
    ...     path = tf.train.Checkpoint(step=step).save(prefix)
    ...     _ = step.assign(0)
    ...     status = tf.train.Checkpoint(step=step).restore(path)
    ...     int(step)
    3
    """

    def __init__(self, root: Any = None, **kwargs: Any) -> None:
        if root is not None:
            kwargs = {**dict(members(root)), **kwargs}
        for name, value in kwargs.items():
            setattr(self, str(name), value)  # a root may be a list
        self._save_counter: Variable | None = None

    @property
    def save_counter(self) -> Variable:
        """The number of calls of `save`, which is saved too."""
        if self._save_counter is None:
            with get_default_graph().name_scope(None):
                self._save_counter = Variable(
                    np.int64(0), trainable=False, collections=[], name="save_counter"
                )
        return self._save_counter

    def write(self, file_prefix: PathLike, session: Any = None) -> str:
        """Write a checkpoint with exactly this prefix; return the prefix.

        In graph mode the values are those in `session`, by default the current one.
        """
        return self._write(file_prefix, session)[0]

    def _write(self, file_prefix: PathLike, session: Any) -> tuple[str, str]:
        """Write a checkpoint; return its prefix and its save id."""
        function = "tf.train.Checkpoint.write"
        files, prefix = files_at(file_prefix, function, "file_prefix")
        directory = prefix.rpartition("/")[0]
        with failures(function, directory):
            if directory and not files.exists(directory):
                files.makedirs(directory)
        graph = ObjectGraph(self)
        variables = graph.variables
        for name, variable in variables.items():
            check_storable(name, variable.dtype)
        values = current_values(_session(session), variables)
        return prefix, write_checkpoint(prefix, values, graph.record())

    def save(self, file_prefix: PathLike, session: Any = None) -> str:
        """Write a checkpoint; return its prefix, which ends with a number."""
        path, _ = self._save(file_prefix, session)
        update_checkpoint_state(path.rpartition("/")[0], path)
        return path

    def _save(self, file_prefix: PathLike, session: Any) -> tuple[str, str]:
        session = _session(session)
        _, prefix = files_at(file_prefix, "tf.train.Checkpoint.save", "file_prefix")
        counter = self.save_counter
        if session is None:
            counter.assign_add(1)
            number = int(counter)
        else:
            if not session.run(counter.is_initialized()):
                session.run(counter.initializer)
            number = int(session.run(counter)) + 1
            counter.load(number, session)
        return self._write(f"{prefix}-{number}", session)

    def restore(self, save_path: PathLike | None) -> RestoreStatus:
        """Restore the variables from a checkpoint.

        Eager mode restores at once, graph mode with the methods of the result.  A value
        without a variable is kept until a variable of its name is created, as by the
        first call of a layer or optimizer.  A warning lists such values.  `save_path`
        is the prefix of a checkpoint, or None for no checkpoint, as
        ``manager.latest_checkpoint`` is at first.  It raises `tf.errors.NotFoundError`
        without a checkpoint there, and `tf.errors.InvalidArgumentError` if a shape or
        dtype differs.
        """
        if save_path is not None:
            self.save_counter  # noqa: B018 - created, so that it is restored
        return self.read(save_path)

    def read(self, save_path: PathLike | None) -> RestoreStatus:
        """Do the same as `restore`, for a checkpoint of `write`: without a counter."""
        reader = None if save_path is None else CheckpointReader(save_path)
        status = RestoreStatus(self, reader)
        if executing_eagerly():
            status.run_restore_ops()
            status.defer()
        return status

    def _trackable_children(self) -> Mapping[str, Any]:
        own = {name: value for name, value in vars(self).items() if name[:1] != "_"}
        if self._save_counter is not None:
            own["save_counter"] = self._save_counter
        return own


class RestoreStatus:
    """The match between the values of a checkpoint and the variables of objects."""

    def __init__(self, checkpoint: Checkpoint, reader: CheckpointReader | None) -> None:
        self._checkpoint, self._reader = checkpoint, reader
        self._restored: set[str] = set()
        if reader is None:
            return
        for name, variable in self._matching_variables().items():
            check_fits(reader, name, variable)
        if left := self._unused_names():
            _log.warning(
                "the checkpoint has values that no variable takes: %s", ", ".join(left)
            )

    def _matching_variables(self) -> dict[str, Variable]:
        reader = self._reader
        if reader is None:
            return {}
        below = self._variables()
        return {name: v for name, v in below.items() if reader.has_tensor(name)}

    def _variables(self) -> dict[str, Variable]:
        """Return the variables by their names in the checkpoint, or else their own.

        TensorFlow's names depend on what was built when it saved; its graph of objects
        says which object each name belongs to.
        """
        graph = ObjectGraph(self._checkpoint)
        stored = {} if self._reader is None else graph.names_in(self._reader.objects)
        return {stored.get(name, name): v for name, v in graph.variables.items()}

    def _unused_names(self) -> list[str]:
        reader = self._reader
        stored = {} if reader is None else reader.get_variable_to_shape_map()
        below = self._variables()
        return [name for name in stored if name not in below]

    def run_restore_ops(self, session: Any = None) -> None:
        """Set the variables to their values."""
        session = _session(session)
        for name, variable in self._matching_variables().items():
            self._restore(name, variable, session)

    def _restore(self, name: str, variable: Variable, session: Any = None) -> None:
        assert self._reader is not None
        check_fits(self._reader, name, variable)
        self._restored.add(name)  # first: the assignment below restores deferred values
        variable.restore(self._reader.get_tensor(name), session)

    def defer(self) -> None:
        """Keep values without a variable for variables that are created later."""
        objects = self._checkpoint._trackable_children().items()
        key = tuple((name, id(value)) for name, value in objects)
        deferred.pop(key, None)  # from an earlier restore of the same objects
        if self._unused_names():
            deferred[key] = lambda: self._restore_later(key)

    def _restore_later(self, key: Any) -> set[str]:
        """Restore new variables; return the handles of all variables."""
        for name, variable in self._matching_variables().items():
            if name not in self._restored:
                self._restore(name, variable)
        if not self._unused_names():
            deferred.pop(key, None)
        return {v.handle for v in self._variables().values()}

    def initialize_or_restore(self, session: Any = None) -> None:
        """Restore the variables, and initialize those without a value."""
        session = _session(session)
        self.run_restore_ops(session)
        taken = self._matching_variables()
        below = self._variables()
        others = [v for name, v in below.items() if name not in taken]
        if session is not None:
            session.run([variable.initializer for variable in others])

    def assert_existing_objects_matched(self) -> RestoreStatus:
        """Raise AssertionError if a variable has no value."""
        taken = self._matching_variables()
        missing = [name for name in self._variables() if name not in taken]
        if missing:
            raise coded(
                AssertionError,
                f"the checkpoint has no values for {', '.join(missing)}",
                code=codes.NOT_IN_CHECKPOINT,
            )
        return self

    def assert_consumed(self) -> RestoreStatus:
        """Raise AssertionError if a variable has no value, or a value no variable."""
        self.assert_existing_objects_matched()
        if left := self._unused_names():
            raise coded(
                AssertionError,
                f"the checkpoint has values that no variable takes: {', '.join(left)}",
                code=codes.NOT_IN_CHECKPOINT,
            )
        return self

    def assert_nontrivial_match(self) -> RestoreStatus:
        """Raise AssertionError if no variable has a value."""
        if not self._matching_variables():
            self.assert_existing_objects_matched()
        return self

    def expect_partial(self) -> RestoreStatus:
        """Return the status; values without a variable are not an error."""
        return self


class CheckpointManager:
    """Saves a `Checkpoint` repeatedly, and keeps the newest ones.

    `directory` is created if needed.  `max_to_keep` is the number of
    checkpoints to keep; None for all.  `keep_checkpoint_every_n_hours` is the interval
    of checkpoints that are never deleted, or None.  `checkpoint_name` is the name in
    the prefixes, before the number.

    Examples
    --------
    >>> import tempfile
    >>> with tf.eager_execution():
    ...     manager = tf.train.CheckpointManager(
    ...         tf.train.Checkpoint(x=tf.Variable(1.0)), tempfile.mkdtemp(), 2)
    ...     paths = [manager.save() for _ in range(3)]
    >>> manager.checkpoints == paths[1:]
    True
    """

    def __init__(
        self,
        checkpoint: Checkpoint,
        directory: PathLike,
        max_to_keep: int | None,
        keep_checkpoint_every_n_hours: float | None = None,
        checkpoint_name: str = "ckpt",
    ) -> None:
        function = "tf.train.CheckpointManager"
        self._kept = KeptCheckpoints(
            function, max_to_keep, keep_checkpoint_every_n_hours
        )
        if max_to_keep is not None and max_to_keep < 1:
            raise codes.CANNOT_SAVE.value_error(
                f"{function}: max_to_keep must be at least 1, or None, got "
                f"{max_to_keep}"
            )
        name = instance_of(
            str, f"{function}: checkpoint_name", "a string", checkpoint_name
        )
        self.checkpoint = checkpoint
        files, self.directory = files_at(directory, function, "directory")
        with failures(function, self.directory):
            files.makedirs(self.directory)
        self._prefix = joined(self.directory, name)
        state = get_checkpoint_state(self.directory)
        if state is not None:
            self._kept.recover(state.all_model_checkpoint_paths)

    @property
    def checkpoints(self) -> list[str]:
        """The prefixes of the checkpoints, oldest first."""
        return self._kept.paths

    @property
    def latest_checkpoint(self) -> str | None:
        """The prefix of the last checkpoint, or None."""
        return self._kept.paths[-1] if self._kept.paths else None

    def save(self, checkpoint_number: Any = None, session: Any = None) -> str:
        """Write a checkpoint, and remove the oldest one if there are too many.

        `checkpoint_number` is the number after the prefix, or a variable; by default a
        counter.  `session` is the session with the values in graph mode, by default the
        current one.
        """
        session = _session(session)
        if checkpoint_number is None:
            path, save = self.checkpoint._save(self._prefix, session)
        else:
            if isinstance(checkpoint_number, Variable) and session is not None:
                checkpoint_number = session.run(checkpoint_number)
            number = int(checkpoint_number)
            path, save = self.checkpoint._write(f"{self._prefix}-{number}", session)
        self._kept.add(path, save)
        update_checkpoint_state(
            self.directory,
            path,
            self._kept.paths,
            all_model_checkpoint_timestamps=list(self._kept.times.values()),
        )
        self._kept.remove_surplus()
        return path

    def restore_or_initialize(self, session: Any = None) -> str | None:
        """Restore the last checkpoint, or initialize; return its prefix or None."""
        last = self.latest_checkpoint
        self.checkpoint.restore(last).initialize_or_restore(session)
        return last


def _session(session: Any) -> Any:
    """Return a session or the current one, or None in eager mode."""
    if session is not None or executing_eagerly():
        return session
    current = get_default_session()
    if current is None:
        raise codes.SESSION_CLOSED.value_error(
            "tf.train.Checkpoint: there is no current session: use `with tf.Session() "
            "as sess:`, or give session="
        )
    return current
