"""Configure an estimator: its directory, checkpoints and log."""

import copy
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.arguments import number
from tpuref.base.errors import coded
from tpuref.engine.runtime.hosts import here
from tpuref.interface.files.filesystem import files_at

_UNSET = object()
_REPLACEABLE = (
    "model_dir",
    "tf_random_seed",
    "save_summary_steps",
    "save_checkpoints_steps",
    "save_checkpoints_secs",
    "session_config",
    "keep_checkpoint_max",
    "keep_checkpoint_every_n_hours",
    "log_step_count_steps",
    "device_fn",
    "protocol",
    "session_creation_timeout_secs",
)
_INTERVALS = ("save_checkpoints_steps", "save_checkpoints_secs")
_COUNTS = (
    *_INTERVALS,
    "save_summary_steps",
    "log_step_count_steps",
    "keep_checkpoint_max",
)


class RunConfig:
    """Configures an `Estimator`.

    It is ``tf.estimator.RunConfig`` of releases 1.11 to 1.15.  It raises ValueError if
    both checkpoint intervals are set or a number is out of range, and
    NotImplementedError if a strategy is passed.

    Parameters
    ----------
    model_dir
        The directory of checkpoints and event files; None for a temporary one.
    tf_random_seed
        The seed of the graphs.
    save_summary_steps
        The number of steps between two summaries; None for none.
    save_checkpoints_steps, save_checkpoints_secs
        The number of steps, or seconds, between two checkpoints.  Set one of them; the
        default is 600 seconds, and both None means no checkpoints.
    keep_checkpoint_max
        The number of checkpoints to keep; 0 or None for all.
    keep_checkpoint_every_n_hours
        The interval of checkpoints that are never deleted.
    log_step_count_steps
        The number of steps between two lines of progress; None for none.
    device_fn, protocol, session_creation_timeout_secs
    experimental_max_worker_delay_secs
        Stored without effect.
    train_distribute, eval_distribute, experimental_distribute
        Must be None: use a strategy without an Estimator, or `TPUEstimator`.

    Examples
    --------
    >>> config = tf.estimator.RunConfig(save_checkpoints_steps=100)
    >>> config.replace(keep_checkpoint_max=2).save_checkpoints_steps
    100
    """

    replaceable: tuple[str, ...] = _REPLACEABLE

    def __init__(
        self,
        model_dir: Any = None,
        tf_random_seed: int | None = None,
        save_summary_steps: int | None = 100,
        save_checkpoints_steps: Any = _UNSET,
        save_checkpoints_secs: Any = _UNSET,
        session_config: Any = None,
        keep_checkpoint_max: int | None = 5,
        keep_checkpoint_every_n_hours: float = 10000,
        log_step_count_steps: int | None = 100,
        train_distribute: Any = None,
        device_fn: Any = None,
        protocol: str | None = None,
        eval_distribute: Any = None,
        experimental_distribute: Any = None,
        experimental_max_worker_delay_secs: int | None = None,
        session_creation_timeout_secs: int = 7200,
    ) -> None:
        intervals = (save_checkpoints_steps, save_checkpoints_secs)
        if all(one not in (_UNSET, None) for one in intervals):
            raise _invalid(
                "set save_checkpoints_steps or save_checkpoints_secs, not both"
            )
        if intervals == (_UNSET, _UNSET):
            save_checkpoints_secs = 600
        for strategy in (train_distribute, eval_distribute, experimental_distribute):
            if strategy is not None:
                raise coded(
                    NotImplementedError,
                    "tf.estimator.RunConfig: an Estimator takes no distribution "
                    f"strategy, got {strategy!r}; use "
                    "tf.contrib.tpu.TPUEstimator for several cores, or the strategy "
                    "without an Estimator",
                    code=codes.INVALID_ARGUMENT,
                )
        self.model_dir = model_dir
        if model_dir is not None:
            where = "tf.estimator.RunConfig"
            _, self.model_dir = files_at(model_dir, where, "model_dir")
        self.tf_random_seed = tf_random_seed
        self.save_summary_steps = save_summary_steps
        self.save_checkpoints_steps = _value_or_none(save_checkpoints_steps)
        self.save_checkpoints_secs = _value_or_none(save_checkpoints_secs)
        self.session_config = session_config
        self.keep_checkpoint_max = keep_checkpoint_max
        self.keep_checkpoint_every_n_hours = keep_checkpoint_every_n_hours
        self.log_step_count_steps = log_step_count_steps
        self.train_distribute = self.eval_distribute = None
        self.device_fn = device_fn
        self.protocol = protocol
        self.session_creation_timeout_secs = session_creation_timeout_secs
        self.experimental_max_worker_delay_secs = experimental_max_worker_delay_secs
        self.master = self.evaluation_master = ""
        self.task_type, self.task_id = "worker", here.index()
        self.is_chief = here.is_chief()
        self.global_id_in_cluster = self.task_id
        self.num_worker_replicas, self.num_ps_replicas = here.count(), 0
        self.cluster_spec: Any = None
        self._check()

    def _check(self) -> None:
        for name in _COUNTS:
            value = getattr(self, name)
            if value is not None and number(f"RunConfig: {name}", value) < 0:
                raise _invalid(f"{name} must be 0 or more, got {value!r}")
        if self.log_step_count_steps == 0:
            raise _invalid("log_step_count_steps must be greater than 0, or None")
        seed = self.tf_random_seed
        if seed is not None and not hasattr(seed, "__index__"):
            raise _invalid(f"tf_random_seed must be an integer, got {seed!r}")

    def replace(self, **kwargs: Any) -> Any:
        """Return a copy with changed values; ValueError as for the constructor."""
        if unknown := [name for name in kwargs if name not in self.replaceable]:
            raise _invalid(
                f"replace({', '.join(unknown)}=...): replaceable are "
                f"{', '.join(self.replaceable)}"
            )
        by_steps, by_secs = _INTERVALS
        if kwargs.get(by_steps) is not None and kwargs.get(by_secs) is not None:
            raise _invalid(f"replace: set {by_steps} or {by_secs}, not both")
        if by_steps in kwargs:
            kwargs.setdefault(by_secs, None)
        elif by_secs in kwargs:
            kwargs[by_steps] = None
        made = copy.copy(self)
        vars(made).update(kwargs)
        made._check()
        return made


def _value_or_none(value: Any) -> Any:
    return None if value is _UNSET else value


def _invalid(why: str) -> Exception:
    return codes.INVALID_ARGUMENT.value_error(f"tf.estimator.RunConfig: {why}")
