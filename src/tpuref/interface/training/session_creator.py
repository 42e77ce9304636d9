"""Define session creators, which prepare the session of a monitored session."""

import abc
import time
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.arguments import instance_of
from tpuref.base.errors import DeadlineExceededError
from tpuref.engine.graph.default import get_default_graph
from tpuref.engine.graph.session import Session
from tpuref.engine.graph.session_options import ConfigProto
from tpuref.engine.runtime.hosts import here
from tpuref.interface.checkpoints.state import get_checkpoint_state
from tpuref.interface.files.filesystem import PathLike
from tpuref.interface.training.log import log
from tpuref.interface.training.scaffold import Scaffold

_LOOK_AGAIN_SECONDS = 30.0


class SessionCreator(abc.ABC):
    """Creates sessions: the first one, and another after a failure.

    Examples
    --------
    >>> class Plain(tf.train.SessionCreator):
    ...     def create_session(self):
    ...         return tf.Session()
    >>> with tf.train.MonitoredSession(Plain()) as sess:
    ...     int(sess.run(tf.constant(3)))
    3
    """

    @abc.abstractmethod
    def create_session(self) -> Any:
        """Return a session that is ready."""


class ChiefSessionCreator(SessionCreator):
    """Creates sessions whose variables are restored or initialized.

    `scaffold` is the `Scaffold` that initializes and restores variables, by default a
    new one.  `checkpoint_dir` is the directory of checkpoints, of which the last one is
    restored.  `checkpoint_filename_with_path` is a checkpoint to restore instead.
    Other parameters are those of `tf.Session`.  It raises ValueError if both a
    directory and a checkpoint are set.
    """

    def __init__(
        self,
        scaffold: Scaffold | None = None,
        master: Any = "",
        config: ConfigProto | None = None,
        checkpoint_dir: PathLike | None = None,
        checkpoint_filename_with_path: PathLike | None = None,
    ) -> None:
        if checkpoint_dir and checkpoint_filename_with_path:
            raise codes.INVALID_ARGUMENT.value_error(
                "tf.train.ChiefSessionCreator: set checkpoint_dir or "
                "checkpoint_filename_with_path, not both, got "
                f"{checkpoint_dir!r} and {checkpoint_filename_with_path!r}"
            )
        self._scaffold = _scaffold("tf.train.ChiefSessionCreator", scaffold)
        self._master, self._config = master, config
        self._directory = checkpoint_dir
        self._checkpoint = checkpoint_filename_with_path

    def create_session(self) -> Session:
        """Return a session that is ready.

        It raises RuntimeError if variables are uninitialized afterwards.
        """
        scaffold = self._scaffold.finalize()
        session = Session(self._master, get_default_graph(), self._config)
        try:
            here.meet("restore")
            restored = self._restore(session)
            here.meet(
                "restored"
            )  # no host may overwrite the checkpoint before all have read it
            if not restored:
                session.run(scaffold.init_op, feed_dict=scaffold.init_feed_dict)
                if scaffold.init_fn is not None:
                    scaffold.init_fn(session)
            lacking = _make_ready(session, scaffold)
            if lacking:
                raise codes.UNINITIALIZED.runtime_error(
                    "tf.train.ChiefSessionCreator: variables are uninitialized after "
                    f"init_op, init_fn and local_init_op: {lacking}; initialize them "
                    "with tf.train.Scaffold(init_op=...), or restore a checkpoint "
                    "that has them"
                )
        except BaseException:
            session.close()
            raise
        return session

    def _restore(self, session: Session) -> bool:
        """Restore the variables from a checkpoint; return whether there is one."""
        saver = self._scaffold.saver
        assert saver is not None
        if self._checkpoint:
            saver.restore(session, self._checkpoint)
            return True
        state = get_checkpoint_state(self._directory) if self._directory else None
        if state is None:
            return False
        saver.restore(session, state.model_checkpoint_path)
        saver.recover_last_checkpoints(state.all_model_checkpoint_paths)
        return True


class WorkerSessionCreator(SessionCreator):
    """Creates sessions that wait until another process has initialized the variables.

    `scaffold` is the `Scaffold` that checks the variables, by default a new one.
    `master` and `config` are as for `tf.Session`.  `max_wait_secs` is the maximum
    number of seconds to wait.
    """

    def __init__(
        self,
        scaffold: Scaffold | None = None,
        master: Any = "",
        config: ConfigProto | None = None,
        max_wait_secs: float = 1800,
    ) -> None:
        self._scaffold = _scaffold("tf.train.WorkerSessionCreator", scaffold)
        self._master, self._config = master, config
        self._max_wait_secs = max_wait_secs

    def create_session(self) -> Session:
        """Return a session that is ready.

        It raises tf.errors.DeadlineExceededError if the variables are not ready in
        time.
        """
        scaffold = self._scaffold.finalize()
        deadline = time.monotonic() + self._max_wait_secs
        while True:
            session = Session(self._master, get_default_graph(), self._config)
            lacking = _make_ready(session, scaffold)
            if not lacking:
                return session
            session.close()
            left = deadline - time.monotonic()
            if left <= 0:
                raise DeadlineExceededError(
                    "tf.train.WorkerSessionCreator: variables are uninitialized after "
                    f"{self._max_wait_secs} s: {lacking}; the chief initializes them",
                    code=codes.UNINITIALIZED,
                )
            log.info("Waiting for model to be ready. %s", lacking)
            time.sleep(min(_LOOK_AGAIN_SECONDS, left))


def _scaffold(function: str, given: Scaffold | None) -> Scaffold:
    if given is None:
        return Scaffold()
    return instance_of(Scaffold, f"{function}: scaffold", "a tf.train.Scaffold", given)


def _make_ready(session: Session, scaffold: Scaffold) -> str:
    """Run ``local_init_op`` once it can; return the uninitialized variables."""
    lacking = _uninitialized_names(session, scaffold.ready_for_local_init_op)
    if lacking:
        return lacking
    log.info("Running local_init_op.")
    session.run(scaffold.local_init_op)
    log.info("Done running local_init_op.")
    return _uninitialized_names(session, scaffold.ready_op)


def _uninitialized_names(session: Session, ready_op: Any) -> str:
    names = session.run(ready_op)
    if names is None or not names.size:
        return ""
    return ", ".join(name.decode() for name in names.ravel())
