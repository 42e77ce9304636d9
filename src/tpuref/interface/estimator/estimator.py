"""The estimator: trains, evaluates and predicts with a model function."""

import copy
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base import nest
from tpuref.base.arguments import instance_of
from tpuref.engine.graph.default import get_default_graph
from tpuref.engine.graph.graph import Graph, GraphKeys
from tpuref.engine.runtime.hosts import here
from tpuref.interface.checkpoints.initialization import load_checkpoint
from tpuref.interface.checkpoints.saver import Saver
from tpuref.interface.checkpoints.state import latest_checkpoint
from tpuref.interface.estimator.built_model import BuiltModel
from tpuref.interface.estimator.export_outputs import no_saved_model
from tpuref.interface.estimator.functions import (
    call_input_fn,
    check_model_fn,
    features_and_labels,
    parameters_of,
)
from tpuref.interface.estimator.mode_keys import ModeKeys
from tpuref.interface.estimator.run_config import RunConfig
from tpuref.interface.estimator.spec import EstimatorSpec
from tpuref.interface.files.filesystem import files_at, joined
from tpuref.interface.functions.dependencies import group
from tpuref.interface.functions.random import set_random_seed
from tpuref.interface.metrics.means import mean
from tpuref.interface.summary.event_file import FileWriterCache
from tpuref.interface.summary.messages import Summary
from tpuref.interface.summary.operations import scalar
from tpuref.interface.summary.steps import flush_writers
from tpuref.interface.training.global_step import create_global_step, get_global_step
from tpuref.interface.training.hooks.checkpoint_saver import CheckpointSaverHook
from tpuref.interface.training.hooks.final_ops import FinalOpsHook
from tpuref.interface.training.hooks.logging_tensor import LoggingTensorHook
from tpuref.interface.training.hooks.nan_tensor import NanTensorHook
from tpuref.interface.training.log import log
from tpuref.interface.training.monitored_session import MonitoredSession
from tpuref.interface.training.monitored_training_session import (
    MonitoredTrainingSession,
)
from tpuref.interface.training.session_creator import ChiefSessionCreator
from tpuref.interface.training.warm_start import WarmStartSettings, warm_start
from tpuref.names.members import explain_missing_members


@explain_missing_members("tf.estimator.Estimator")
class Estimator:
    """Trains, evaluates and predicts with a model function.

    It is ``tf.estimator.Estimator`` of releases 1.11 to 1.15.  It raises ValueError if
    `model_fn` takes other parameters, or `model_dir` and `config` differ.

    Parameters
    ----------
    model_fn
        A function of ``features``, and optionally of ``labels``, ``mode``, ``params``
        and ``config``, that builds the model and returns an `EstimatorSpec`.
    model_dir
        The directory of checkpoints and event files, by default that of `config`, or a
        temporary one.
    params
        Passed to the model function and input functions as ``params``; each call gets a
        copy.
    warm_start_from
        A checkpoint or a `tf.estimator.WarmStartSettings`: the source of the variables'
        initial values unless `model_dir` has a checkpoint.

    Examples
    --------
    >>> import tempfile
    >>> def input_fn():
    ...     x = [[0.0], [1.0], [2.0], [3.0]]
    ...     y = [[1.0], [3.0], [5.0], [7.0]]
    ...     return tf.data.Dataset.from_tensor_slices((x, y)).repeat().batch(4)
    >>> def model_fn(features, labels, mode):
    ...     line = tf.layers.dense(features, 1)
    ...     if mode == tf.estimator.ModeKeys.PREDICT:
    ...         return tf.estimator.EstimatorSpec(mode, predictions={"y": line})
    ...     loss = tf.losses.mean_squared_error(labels, line)
    ...     step = tf.train.get_global_step()
    ...     train = tf.train.AdamOptimizer(0.3).minimize(loss, step)
    ...     return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train)
    >>> estimator = tf.estimator.Estimator(model_fn, tempfile.mkdtemp())
    >>> estimator = estimator.train(input_fn, steps=200)
    >>> round(float(next(estimator.predict(input_fn))["y"][0]))
    1
    """

    def __init__(
        self,
        model_fn: Callable[..., Any],
        model_dir: Any = None,
        config: Any = None,
        params: Any = None,
        warm_start_from: Any = None,
    ) -> None:
        check_model_fn(model_fn, params)
        if config is None:
            config = RunConfig()
        argument = "tf.estimator.Estimator: config"
        instance_of(RunConfig, argument, "a tf.estimator.RunConfig", config)
        self._config = _with_directory(config, model_dir)
        self._model_fn = model_fn
        self._params = copy.deepcopy(params) if params is not None else {}
        if isinstance(warm_start_from, str):
            warm_start_from = WarmStartSettings(warm_start_from)
        self._warm_start = warm_start_from

    # -- configuration ---------------------------------------------------------

    @property
    def model_dir(self) -> str:
        """The directory of checkpoints and event files."""
        return str(self._config.model_dir)

    @property
    def config(self) -> Any:
        """A copy of the configuration."""
        return copy.copy(self._config)

    @property
    def params(self) -> Any:
        """A copy of the parameters."""
        return copy.deepcopy(self._params)

    @property
    def model_fn(self) -> Callable[..., Any]:
        """A function of features, labels, mode and config that builds the model."""

        def public(features: Any, labels: Any, mode: str, config: Any) -> Any:
            return self._call_model_fn(features, labels, mode, config)

        return public

    # -- trained values --------------------------------------------------------

    def latest_checkpoint(self) -> str | None:
        """Return the path of the last checkpoint of `model_dir`, or None."""
        return latest_checkpoint(self.model_dir)

    def get_variable_names(self) -> list[str]:
        """Return the sorted names of the variables in the last checkpoint."""
        return sorted(self._checkpoint_reader().get_variable_to_shape_map())

    def get_variable_value(self, name: str) -> Any:
        """Return a variable of the last checkpoint, such as ``dense/kernel``."""
        return self._checkpoint_reader().get_tensor(name)

    def _checkpoint_reader(self) -> Any:
        if self.latest_checkpoint() is None:
            raise codes.NO_CHECKPOINT.value_error(
                f"Could not find trained model in model_dir: {self.model_dir}; call "
                "train first"
            )
        return load_checkpoint(self.model_dir)

    def eval_dir(self, name: str | None = None) -> str:
        """Return the directory of the event files of ``evaluate(..., name=name)``."""
        return joined(self.model_dir, "eval" if not name else f"eval_{name}")

    # -- training --------------------------------------------------------------

    def train(
        self,
        input_fn: Callable[..., Any],
        hooks: Sequence[Any] | None = None,
        steps: int | None = None,
        max_steps: int | None = None,
        saving_listeners: Sequence[Any] | None = None,
    ) -> Any:
        """Train the model, from the last checkpoint if there is one.

        `input_fn` is a function that returns features, ``(features, labels)`` or a
        `tf.data.Dataset` of them; it may take mode, params and config.  `steps` is the
        number of steps to train; None trains until the input ends.  `max_steps` is the
        global step to stop at, counting steps of earlier calls.  `saving_listeners` are
        `tf.train.CheckpointSaverListener` objects, called for each checkpoint.  It
        raises ValueError if both `steps` and `max_steps` are given or not positive, and
        NanLossDuringTrainingError if the loss is not a number.
        """
        check_steps("train", steps=steps, max_steps=max_steps)
        if steps is not None and max_steps is not None:
            raise _invalid_steps("Can not provide both steps and max_steps.")
        if max_steps is not None and max_steps <= self._last_step():
            log.info("Skipping training since max_steps has already saved.")
            return self
        with self._new_graph():
            model = self._build(input_fn, ModeKeys.TRAIN, steps, max_steps)
            if self._warm_start is not None and self.latest_checkpoint() is None:
                log.info("Warm-starting with WarmStartSettings: %s", self._warm_start)
                warm_start(*self._warm_start)
            ends = model.end_hooks(steps, max_steps)
            loss = self._run_training(model, [*ends, *(hooks or ())], saving_listeners)
            flush_writers(get_default_graph())
        log.info("Loss for final step: %s.", loss)
        return self

    def _last_step(self) -> int:
        here.meet("find the last step")
        return step_of_checkpoint(self.latest_checkpoint())

    def _new_graph(self) -> Any:
        graph = Graph()
        scope = graph.as_default()
        with graph.as_default():
            set_random_seed(self._config.tf_random_seed)
            create_global_step(graph)
        return scope

    def _build(
        self,
        input_fn: Any,
        mode: str,
        steps: int | None = None,
        max_steps: int | None = None,
    ) -> BuiltModel:
        features, labels = self._inputs(input_fn, mode)
        spec = self._call_model_fn(features, labels, mode, self.config)
        every = self._config.log_step_count_steps
        if every is None or mode != ModeKeys.TRAIN:
            return BuiltModel(spec)
        shown = {"loss": spec.loss, "step": get_global_step()}
        return BuiltModel(spec, [LoggingTensorHook(shown, every_n_iter=every)], every)

    def _inputs(self, input_fn: Any, mode: str) -> tuple[Any, Any]:
        inputs = call_input_fn(input_fn, mode, self.params or None, self.config)
        features, labels = features_and_labels(inputs)
        return features, None if mode == ModeKeys.PREDICT else labels

    def _call_model_fn(
        self, features: Any, labels: Any, mode: str, config: Any
    ) -> EstimatorSpec:
        log.info("Calling model_fn.")
        spec = call_model_fn(
            self._model_fn,
            features,
            labels,
            mode=mode,
            params=self.params,
            config=config,
        )
        log.info("Done calling model_fn.")
        checked: EstimatorSpec = checked_spec(self._model_fn, spec, EstimatorSpec)
        return checked

    def _run_training(self, model: BuiltModel, hooks: list[Any], listeners: Any) -> Any:
        config, spec = self._config, model.spec
        scalar("loss", spec.loss)
        own = [NanTensorHook(spec.loss), *model.logs]
        self._add_saver()
        chief = self._with_checkpoints(model, hooks, list(listeners or ()))
        with MonitoredTrainingSession(
            master=config.master,
            is_chief=True,
            checkpoint_dir=self.model_dir,
            scaffold=spec.scaffold,
            hooks=[*hooks, *own, *spec.training_hooks],
            chief_only_hooks=chief,
            save_checkpoint_secs=0,
            save_summaries_steps=config.save_summary_steps,
            config=config.session_config,
            log_step_count_steps=model.count_every,
        ) as session:
            loss = None
            while not session.should_stop():
                _, loss = session.run([spec.train_op, spec.loss])
        model.check_finished()
        return loss

    def _with_checkpoints(
        self, model: BuiltModel, hooks: list[Any], listeners: list[Any]
    ) -> list[Any]:
        """Return the chief's hooks, with a checkpoint saver if configured."""
        config, spec = self._config, model.spec
        chief = list(spec.training_chief_hooks)
        every = [*hooks, *spec.training_hooks, *chief]
        savers = [hook for hook in every if isinstance(hook, CheckpointSaverHook)]
        for saver in savers[:1]:
            saver._listeners += listeners
        seconds, steps = config.save_checkpoints_secs, config.save_checkpoints_steps
        if savers or not (seconds or steps):
            return chief
        saver = CheckpointSaverHook(
            self.model_dir,
            save_secs=seconds,
            save_steps=steps,
            scaffold=spec.scaffold,
            listeners=listeners,
        )
        saver._set_steps_per_run(model.steps_per_run)
        return [*chief, saver]

    def _add_saver(self) -> None:
        graph, config = get_default_graph(), self._config
        if not graph.get_collection(GraphKeys.SAVERS):
            saver = Saver(
                max_to_keep=config.keep_checkpoint_max,
                keep_checkpoint_every_n_hours=config.keep_checkpoint_every_n_hours,
                defer_build=True,
                allow_empty=True,
            )
            graph.add_to_collection(GraphKeys.SAVERS, saver)

    # -- evaluation ------------------------------------------------------------

    def evaluate(
        self,
        input_fn: Callable[..., Any],
        steps: int | None = None,
        hooks: Sequence[Any] | None = None,
        checkpoint_path: str | None = None,
        name: str | None = None,
    ) -> dict[str, Any]:
        """Evaluate the model of a checkpoint.

        Return the metrics of the specification, ``loss`` (the mean over the batches)
        and ``global_step`` by name.  Other parameters are those of `train`.  `steps` is
        the number of batches; None evaluates until the input ends.  `checkpoint_path`
        is the checkpoint, by default the last one.  If there is none, the model is
        evaluated with its initial values.  `name` is the name of this evaluation, which
        separates its event files from others.  It raises ValueError if `steps` is not
        positive.
        """
        check_steps("evaluate", steps=steps)
        path = self._checkpoint_or_warn(checkpoint_path, "evaluate")
        started = time.time()
        log.info("Starting evaluation at %s", time.strftime("%Y-%m-%dT%H:%M:%S%z"))
        with self._new_graph():
            model = self._build(input_fn, ModeKeys.EVAL, steps)
            values = self._run_evaluation(model, steps, path, list(hooks or ()))
            flush_writers(get_default_graph())
        log.info("Inference Time : %0.5fs", time.time() - started)
        log.info("Finished evaluation at %s", time.strftime("%Y-%m-%d-%H:%M:%S"))
        self._write_evaluation(values, name)
        return values

    def _run_evaluation(
        self, model: BuiltModel, steps: Any, path: Any, hooks: list[Any]
    ) -> dict[str, Any]:
        spec, runs = model.spec, model.runs(steps)
        pairs = self._metric_pairs(spec)
        update = group(*[pair[1] for pair in pairs.values()])
        finals = {key: pair[0] for key, pair in pairs.items()}
        finals["global_step"] = get_global_step()
        hooks = [*hooks, *spec.evaluation_hooks]
        self._add_saver()
        final = FinalOpsHook(finals)
        with self._session(spec, path, [*hooks, final], evaluating=True) as session:
            done = 0
            while not session.should_stop() and (runs is None or done < runs):
                session.run(update)
                done += 1
                log.info("Evaluation [%d/%s]", done, runs or "all")
        model.check_finished()
        return dict(sorted(final.final_ops_values.items()))

    def _metric_pairs(self, spec: EstimatorSpec) -> dict[str, Any]:
        pairs = dict(spec.eval_metric_ops)
        if "loss" in pairs:
            raise codes.INVALID_MODEL_FUNCTION.value_error(
                "tf.estimator.Estimator.evaluate: Metric with name 'loss' is not "
                "allowed, because the estimator defines it; rename it in "
                "eval_metric_ops"
            )
        return {**pairs, "loss": mean(spec.loss)}

    def _session(
        self, spec: EstimatorSpec, path: Any, hooks: list[Any], evaluating: bool
    ) -> Any:
        config = self._config
        return MonitoredSession(
            ChiefSessionCreator(
                scaffold=spec.scaffold,
                master=config.evaluation_master if evaluating else config.master,
                config=config.session_config,
                checkpoint_filename_with_path=path,
            ),
            hooks=hooks,
        )

    def _checkpoint_or_warn(self, checkpoint: str | None, verb: str) -> str | None:
        here.meet("find the last checkpoint")
        path = checkpoint or self.latest_checkpoint()
        if path is None:
            log.info(
                "Could not find trained model in model_dir: %s, running "
                "initialization to %s.",
                self.model_dir,
                verb,
            )
        return path

    def _write_evaluation(self, values: Mapping[str, Any], name: str | None) -> None:
        shown = ", ".join(f"{key} = {value}" for key, value in values.items())
        step = values["global_step"]
        log.info("Saving dict for global step %d: %s", step, shown)
        summary = Summary()
        for key, value in values.items():
            if key != "global_step" and np.ndim(value) == 0:
                summary.value.add(tag=key, simple_value=float(value))
        writer = FileWriterCache.get(self.eval_dir(name))
        writer.add_summary(summary, step)
        writer.flush()

    # -- prediction ------------------------------------------------------------

    def predict(
        self,
        input_fn: Callable[..., Any],
        predict_keys: Any = None,
        hooks: Sequence[Any] | None = None,
        checkpoint_path: str | None = None,
        yield_single_examples: bool = True,
    ) -> Iterator[Any]:
        """Yield the predictions for an input, from the model of a checkpoint.

        `input_fn` is as for `train`; labels are ignored.  Prediction ends with the
        input.  `predict_keys` is the key or keys of the predictions to yield; by
        default all.  `yield_single_examples` says whether to yield rows one by one
        instead of whole batches.  Other parameters are those of `evaluate`.  It raises
        ValueError if a key is unknown, or predictions differ in the number of rows.
        Yield the predictions, in the structure of the specification.
        """
        path = self._checkpoint_or_warn(checkpoint_path, "predict")
        with self._new_graph():  # left before each yield, so the caller's graph stays
            spec = self._build(input_fn, ModeKeys.PREDICT).spec
            wanted = _select_predictions(spec.predictions, predict_keys)
            self._add_saver()
            all_hooks = [*(hooks or ()), *spec.prediction_hooks]
            session = self._session(spec, path, all_hooks, evaluating=False)
        with session:
            while not session.should_stop():
                values = session.run(wanted)
                if yield_single_examples:
                    yield from _rows(values)
                else:
                    yield values

    # -- not supported ---------------------------------------------------------

    def export_saved_model(self, *args: Any, **kwargs: Any) -> Any:
        """Raise NotImplementedError: SavedModels are not supported."""
        raise no_saved_model("tf.estimator.Estimator.export_saved_model")

    export_savedmodel = experimental_export_all_saved_models = export_saved_model


def call_model_fn(
    model_fn: Callable[..., Any], features: Any, labels: Any, **known: Any
) -> Any:
    """Call a model function with those arguments that its signature names."""
    names = parameters_of(model_fn)
    if "labels" in names:
        known["labels"] = labels
    elif labels is not None:
        raise codes.INVALID_MODEL_FUNCTION.value_error(
            "model_fn does not take labels, but input_fn returns labels."
        )
    arguments = {name: value for name, value in known.items() if name in names}
    return model_fn(features=features, **arguments)


def checked_spec(model_fn: Any, spec: Any, kinds: Any) -> Any:
    """Return the specification of a model function, refusing other types."""
    if not isinstance(spec, kinds):
        name = getattr(model_fn, "__name__", repr(model_fn))
        raise codes.INVALID_MODEL_FUNCTION.value_error(
            f"model_fn {name} should return an EstimatorSpec, got "
            f"{type(spec).__name__} {spec!r}; return one for each mode"
        )
    return spec


def check_steps(method: str, **steps: Any) -> None:
    """Raise an error for a number of steps that is not positive."""
    for name, value in steps.items():
        if value is not None and value <= 0:
            raise _invalid_steps(
                f"tf.estimator.Estimator.{method}: Must specify {name} > 0, given: "
                f"{value}"
            )


def _invalid_steps(why: str) -> Exception:
    return codes.INVALID_ARGUMENT.value_error(why)


def step_of_checkpoint(path: str | None) -> int:
    """Return the global step of a checkpoint, or 0 for None."""
    if path is None:
        return 0
    reader = load_checkpoint(path)
    name = GraphKeys.GLOBAL_STEP
    return int(reader.get_tensor(name)) if reader.has_tensor(name) else 0


def load_global_step_from_checkpoint_dir(checkpoint_dir: str) -> int:
    """Return the global step of the last checkpoint of a directory, 0 without one."""
    return step_of_checkpoint(latest_checkpoint(checkpoint_dir))


def _with_directory(config: Any, model_dir: Any) -> Any:
    """Return a configuration with a model directory, temporary if none is set."""
    if model_dir is not None:
        _, model_dir = files_at(model_dir, "tf.estimator.Estimator", "model_dir")
    if model_dir and config.model_dir and model_dir != config.model_dir:
        raise codes.INVALID_ARGUMENT.value_error(
            "`model_dir` are set both in constructor and `RunConfig`, but with "
            f"different values: {model_dir!r} and {config.model_dir!r}; pass one"
        )
    chosen = model_dir or config.model_dir
    if not chosen:
        chosen = tempfile.mkdtemp()
        log.warning("Using temporary folder as model directory: %s", chosen)
    return config.replace(model_dir=chosen)


def _select_predictions(predictions: Any, keys: Any) -> Any:
    """Return the predictions with the requested keys."""
    if not keys or not isinstance(predictions, Mapping):
        return predictions
    keys = [keys] if isinstance(keys, str) else list(keys)
    wanted = {key: value for key, value in predictions.items() if key in keys}
    if not wanted:
        raise codes.INVALID_MODEL_FUNCTION.value_error(
            f"Expected to run at least one output from {sorted(predictions)}, "
            f"provided {keys}."
        )
    return wanted


def _rows(values: Any) -> Iterator[Any]:
    """Yield the rows of a batch."""
    counts = {len(array) for array in nest.flatten(values)}
    if len(counts) != 1:
        raise codes.INVALID_MODEL_FUNCTION.value_error(
            "tf.estimator.Estimator.predict: Batch length of predictions should be "
            f"same, got {sorted(counts)} rows; pass yield_single_examples=False"
        )
    for row in range(counts.pop()):
        yield nest.map_structure(lambda array, row=row: array[row], values)
