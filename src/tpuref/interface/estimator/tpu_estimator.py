"""Define `TPUEstimator`, whose steps run in a loop on the cores."""

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base import nest
from tpuref.base.arguments import instance_of
from tpuref.engine.graph.default import get_default_graph
from tpuref.engine.graph.graph import GraphKeys
from tpuref.engine.graph.tensor import Tensor
from tpuref.engine.ops.collectives import CROSS_REPLICA_SUM
from tpuref.interface.data.dataset import Dataset
from tpuref.interface.estimator import functions, tpu_context
from tpuref.interface.estimator.built_model import BuiltModel
from tpuref.interface.estimator.estimator import Estimator, call_model_fn, checked_spec
from tpuref.interface.estimator.host_calls import HostCalls
from tpuref.interface.estimator.loop_hook import LoopHook
from tpuref.interface.estimator.mode_keys import ModeKeys
from tpuref.interface.estimator.progress import ExamplesPerSecondHook
from tpuref.interface.estimator.replica_input import ReplicaInput
from tpuref.interface.estimator.spec import EstimatorSpec
from tpuref.interface.estimator.step_loop import BuiltLoop, CoreModel, StepLoop
from tpuref.interface.estimator.tpu_config import (
    InputPipelineConfig,
    RunConfig,
    check_count,
)
from tpuref.interface.estimator.tpu_spec import TPUEstimatorSpec, invalid_host_call
from tpuref.interface.functions.dependencies import group
from tpuref.interface.functions.extents import shape
from tpuref.interface.functions.identity import identity
from tpuref.interface.functions.joining import concat
from tpuref.interface.functions.repetition import pad
from tpuref.interface.functions.reshaping import reshape
from tpuref.interface.tpu.sharding import shard
from tpuref.interface.training.global_step import get_global_step
from tpuref.interface.training.hooks.logging_tensor import LoggingTensorHook
from tpuref.interface.training.log import log

_RESERVED = ("batch_size", "context")


class TPUEstimator(Estimator):
    """Trains, evaluates and predicts with a model function on the cores.

    It is ``tf.contrib.tpu.TPUEstimator`` of releases 1.11 to 1.15.  Other parameters
    are those of `Estimator`.  It raises ValueError if a batch size is missing or not a
    positive integer, or `params` has a reserved key, and TypeError if `config` has
    another type.

    Parameters
    ----------
    model_fn
        As for `Estimator`, but it must take ``params`` and return a `TPUEstimatorSpec`.
        It is called once; the operations that it builds run on every replica.
    config
        A `RunConfig` of ``tf.contrib.tpu``.
    params
        A dict without the keys ``batch_size`` and ``context``, which the estimator adds
        before it calls `model_fn` or an input function.
    use_tpu
        Whether to run on the cores instead of the host.
    train_batch_size, eval_batch_size, predict_batch_size
        The batch sizes over all replicas, multiples of the number of replicas.
    batch_axis
        For each tensor of an input function, the dimension to split; the first one by
        default.  Only with PER_HOST_V1.
    eval_on_tpu
        Whether `evaluate` uses the cores.
    embedding_config_spec
        Must be None.

    Examples
    --------
    >>> import tempfile
    >>> def input_fn(params):
    ...     x = tf.data.Dataset.range(8).map(lambda k: tf.cast(k, tf.float32))
    ...     pairs = x.map(lambda k: ([k], [2.0 * k + 1.0])).repeat()
    ...     return pairs.batch(params["batch_size"], drop_remainder=True)
    >>> def model_fn(features, labels, mode, params):
    ...     line = tf.layers.dense(features, 1)
    ...     loss = tf.losses.mean_squared_error(labels, line)
    ...     optimizer = tf.contrib.tpu.CrossShardOptimizer(tf.train.AdamOptimizer(0.3))
    ...     train = optimizer.minimize(loss, tf.train.get_global_step())
    ...     return tf.contrib.tpu.TPUEstimatorSpec(mode, loss=loss, train_op=train)
    >>> config = tf.contrib.tpu.RunConfig(
    ...     model_dir=tempfile.mkdtemp(),
    ...     tpu_config=tf.contrib.tpu.TPUConfig(iterations_per_loop=100, num_shards=4))
    >>> estimator = tf.contrib.tpu.TPUEstimator(
    ...     model_fn, config=config, train_batch_size=8)
    >>> estimator = estimator.train(input_fn, max_steps=300)
    >>> round(float(estimator.get_variable_value("dense/bias")[0]))
    1
    """

    def __init__(
        self,
        model_fn: Callable[..., Any],
        model_dir: Any = None,
        config: Any = None,
        params: Any = None,
        use_tpu: bool = True,
        train_batch_size: int | None = None,
        eval_batch_size: int | None = None,
        predict_batch_size: int | None = None,
        batch_axis: Sequence[int] | None = None,
        eval_on_tpu: bool = True,
        export_to_tpu: bool = True,
        export_to_cpu: bool = True,
        warm_start_from: Any = None,
        embedding_config_spec: Any = None,
        export_saved_model_api_version: Any = None,
    ) -> None:
        argument = "tf.contrib.tpu.TPUEstimator: config"
        instance_of(RunConfig, argument, "a tf.contrib.tpu.RunConfig", config)
        self._sizes = {
            ModeKeys.TRAIN: train_batch_size,
            ModeKeys.EVAL: eval_batch_size,
            ModeKeys.PREDICT: predict_batch_size,
        }
        _check(model_fn, params, use_tpu, self._sizes, embedding_config_spec)
        super().__init__(model_fn, model_dir, config, params or {}, warm_start_from)
        self._uses_cores = {
            ModeKeys.TRAIN: use_tpu,
            ModeKeys.EVAL: use_tpu and eval_on_tpu,
            ModeKeys.PREDICT: use_tpu,
        }
        self._batch_axis = batch_axis
        self._system: tpu_context.Replicas | None = None

    # -- building --------------------------------------------------------------

    def _build(
        self,
        input_fn: Any,
        mode: str,
        steps: int | None = None,
        max_steps: int | None = None,
    ) -> BuiltModel:
        if "params" not in functions.parameters_of(input_fn):
            raise functions.invalid_input(
                f"input_fn {getattr(input_fn, '__name__', input_fn)} does not include "
                "params argument, required by TPUEstimator to pass batch size as "
                'params["batch_size"]'
            )
        if not self._uses_cores[mode]:
            log.info("Running %s on CPU", mode)
            spec = self._build_on_host(input_fn, mode)
            return BuiltModel(spec, self._logs(spec, mode, 1))
        replicas = self._replicas()
        self._check_batch(mode, replicas)
        if mode == ModeKeys.PREDICT:
            return BuiltModel(self._build_prediction(input_fn, replicas))
        _check_steps(mode, steps, max_steps)
        return self._build_loop(input_fn, mode, replicas, steps, max_steps)

    def _build_on_host(self, input_fn: Any, mode: str) -> EstimatorSpec:
        extra = {"batch_size": self._sizes[mode], "use_tpu": False}
        params = with_items(self.params, extra)
        inputs = functions.call_input_fn(input_fn, mode, params, self.config)
        features, labels = functions.features_and_labels(inputs)
        if mode == ModeKeys.PREDICT:
            labels = None
        spec = self._model(features, labels, mode, params)
        if isinstance(spec, TPUEstimatorSpec):
            spec = spec.as_estimator_spec()
        hooks = (*spec.training_hooks, *self._throughput_hooks(mode, 1))
        changed: EstimatorSpec = spec._replace(training_hooks=hooks)
        return changed

    def _build_loop(
        self,
        input_fn: Any,
        mode: str,
        replicas: tpu_context.Replicas,
        steps: int | None,
        max_steps: int | None,
    ) -> BuiltLoop:
        training, config = mode == ModeKeys.TRAIN, self._config.tpu_config
        every = config.experimental_host_call_every_n_steps if training else 1
        fed = self._replica_input(input_fn, mode, replicas)
        model = CoreModel(partial(self._model_on_core, mode, replicas))
        calls = HostCalls(replicas, every)
        loop = StepLoop(mode, fed, model, calls)
        loss, outputs = loop.on_cores(replicas), calls.built()
        _drop_summaries()
        if training:
            _check_sums_replicas(replicas)
        elif steps:
            loss = loss / float(steps)
        per_run = config.iterations_per_loop
        metrics = outputs.get("eval_metrics") or {}
        updates = [pair[1] for pair in metrics.values()]
        host = [*updates, *nest.flatten(outputs.get("host_call", []))]
        most = (per_run if training else steps) or 1
        hook = LoopHook(loop.limit, most, steps, max_steps, host, every)
        spec = self._loop_spec(model.spec, mode, loss, metrics, hook)
        return BuiltLoop(spec, self._logs(spec, mode, per_run), per_run, hook)

    def _loop_spec(
        self,
        spec: TPUEstimatorSpec,
        mode: str,
        loss: Tensor,
        metrics: dict[str, Any],
        hook: LoopHook,
    ) -> EstimatorSpec:
        """Return the `EstimatorSpec` that makes one run of the session one loop."""
        with get_default_graph().control_dependencies([loss]):
            done = group()
        per_run = self._config.tpu_config.iterations_per_loop
        return EstimatorSpec(
            mode,
            loss=loss,
            train_op=done,
            eval_metric_ops={key: (pair[0], done) for key, pair in metrics.items()},
            scaffold=spec.scaffold_fn() if spec.scaffold_fn else None,
            training_hooks=[
                hook,
                *self._throughput_hooks(mode, per_run),
                *spec.training_hooks,
            ],
            evaluation_hooks=[hook, *spec.evaluation_hooks],
        )

    def _build_prediction(
        self, input_fn: Any, replicas: tpu_context.Replicas
    ) -> EstimatorSpec:
        mode, batch = ModeKeys.PREDICT, self._sizes[ModeKeys.PREDICT]
        assert batch is not None
        inputs = self._call_input(input_fn, mode, replicas, 0)
        if not isinstance(inputs, Dataset):
            raise functions.invalid_input(
                "to predict on the cores, input_fn must return a tf.data.Dataset "
                f"instead of features and labels, got {inputs!r}",
                TypeError,
            )
        pipeline = tpu_context.input_mode(self._config.tpu_config, mode)
        if pipeline == InputPipelineConfig.PER_HOST_V2:
            inputs = inputs.unbatch().batch(batch)
        features, _ = functions.features_and_labels(inputs)
        # The last batch of a dataset may be smaller.  The shards need a static batch
        # size, so rows of zeros fill it up, and their predictions are cut off.
        leaves = nest.flatten(features)
        real = shape(leaves[0])[0]
        model = CoreModel(partial(self._model_on_core, mode, replicas))
        joined: list[Any] = shard(
            lambda *own: _rows_of(
                model(nest.pack_sequence_as(features, list(own)), None).predictions
            ),
            [_pad_rows(leaf, batch, real) for leaf in leaves],
            num_shards=replicas.count,
            device_assignment=replicas.assignment,
        )
        spec = model.spec
        rows = [tensor[:real] for tensor in joined]
        _drop_summaries()
        return EstimatorSpec(
            mode,
            predictions=nest.pack_sequence_as(spec.predictions, rows),
            scaffold=spec.scaffold_fn() if spec.scaffold_fn else None,
            prediction_hooks=spec.prediction_hooks,
        )

    # -- calling the user's functions ------------------------------------------

    def _replica_input(
        self, input_fn: Any, mode: str, replicas: tpu_context.Replicas
    ) -> ReplicaInput:
        pipeline = tpu_context.input_mode(self._config.tpu_config, mode)
        return ReplicaInput(
            lambda k: self._call_input(input_fn, mode, replicas, k),
            tpu_context.calls_of(pipeline, replicas),
            pipeline,
            replicas,
            self._batch_axis,
        )

    def _call_input(
        self, input_fn: Any, mode: str, replicas: tpu_context.Replicas, invocation: int
    ) -> Any:
        pipeline = tpu_context.input_mode(self._config.tpu_config, mode)
        batch = self._sizes[mode] or 0
        extra = {
            "batch_size": tpu_context.batch_of_call(pipeline, replicas, batch),
            "context": tpu_context.TPUContext(replicas, pipeline, invocation),
        }
        if mode == ModeKeys.PREDICT and pipeline != InputPipelineConfig.PER_HOST_V2:
            extra["batch_size"] = batch
        return functions.call_input_fn(
            input_fn, mode, with_items(self.params, extra), self.config
        )

    def _model_on_core(
        self, mode: str, replicas: tpu_context.Replicas, features: Any, labels: Any
    ) -> TPUEstimatorSpec:
        pipeline = tpu_context.input_mode(self._config.tpu_config, mode)
        extra = {
            "batch_size": tpu_context.batch_of_replica(
                pipeline, replicas, self._sizes[mode] or 0
            ),
            "use_tpu": True,
            "context": tpu_context.TPUContext(replicas, pipeline),
        }
        spec = self._model(features, labels, mode, with_items(self.params, extra))
        if not isinstance(spec, TPUEstimatorSpec):
            raise codes.INVALID_MODEL_FUNCTION.value_error(
                "model_fn used by TPUEstimator must return TPUEstimatorSpec, got "
                f"{type(spec).__name__}; pass use_tpu=False, or eval_on_tpu=False, to "
                "run an EstimatorSpec on the host"
            )
        return spec

    def _model(self, features: Any, labels: Any, mode: str, params: Any) -> Any:
        log.info("Calling model_fn.")
        spec = call_model_fn(
            self._model_fn,
            features,
            labels,
            mode=mode,
            params=params,
            config=self.config,
        )
        log.info("Done calling model_fn.")
        return checked_spec(self._model_fn, spec, (TPUEstimatorSpec, EstimatorSpec))

    # -- the TPU system --------------------------------------------------------

    def _replicas(self) -> tpu_context.Replicas:
        if self._system is None:
            config = self._config
            self._system = tpu_context.replicas_of(
                config.tpu_config, config.master, config.session_config
            )
            log.info(
                "TPU system: %d replicas, %d cores each",
                self._system.count,
                self._system.cores_each,
            )
        return self._system

    def _check_batch(self, mode: str, replicas: tpu_context.Replicas) -> None:
        name = {"infer": "predict"}.get(mode, mode)
        size = self._sizes[mode]
        if size is None:
            raise codes.UNEVEN_SHARDS.value_error(
                f"{name}_batch_size in TPUEstimator constructor cannot be `None` if "
                f"{name} is running on TPU."
            )
        pipeline = tpu_context.input_mode(self._config.tpu_config, mode)
        if size % replicas.count and pipeline != InputPipelineConfig.BROADCAST:
            below = size - size % replicas.count
            raise codes.UNEVEN_SHARDS.value_error(
                f"{name} batch size {size} must be divisible by number of replicas "
                f"{replicas.count}; use {below or replicas.count} or "
                f"{below + replicas.count}"
            )

    # -- hooks -----------------------------------------------------------------

    def _logs(self, spec: EstimatorSpec, mode: str, steps_per_run: int) -> list[Any]:
        every = self._config.log_step_count_steps
        if every is None or mode != ModeKeys.TRAIN:
            return []
        with get_default_graph().control_dependencies([spec.loss]):
            shown = {"loss": spec.loss, "step": identity(get_global_step())}
        return [LoggingTensorHook(shown, every_n_iter=math.ceil(every / steps_per_run))]

    def _throughput_hooks(self, mode: str, steps_per_run: int) -> list[Any]:
        config = self._config
        if mode != ModeKeys.TRAIN or config.log_step_count_steps is None:
            return []
        hook = ExamplesPerSecondHook(
            self._sizes[mode] or 0,
            every_n_steps=config.log_step_count_steps,
            output_dir=self.model_dir if config.save_summary_steps else None,
        )
        hook._set_steps_per_run(steps_per_run)
        return [hook]


def _check(
    model_fn: Any, params: Any, use_tpu: bool, sizes: Any, embedding: Any
) -> None:
    """Raise an error for wrong arguments of the constructor."""
    reserved = [key for key in _RESERVED if params is not None and key in params]
    if reserved:
        raise codes.INVALID_MODEL_FUNCTION.value_error(
            f"tf.contrib.tpu.TPUEstimator: {reserved} are reserved keys but existed in "
            "params; use train_batch_size, eval_batch_size and predict_batch_size"
        )
    if embedding is not None:
        raise NotImplementedError(
            "tf.contrib.tpu.TPUEstimator: embedding_config_spec must be None: there is "
            "no embedding hardware; use tf.nn.embedding_lookup"
        )
    if use_tpu and sizes[ModeKeys.TRAIN] is None:
        raise codes.UNEVEN_SHARDS.value_error(
            "tf.contrib.tpu.TPUEstimator: `train_batch_size` cannot be `None`"
        )
    for mode, size in sizes.items():
        if use_tpu and size is not None:
            check_count(f"TPUEstimator: batch size to {mode}", size)


def _check_steps(mode: str, steps: int | None, max_steps: int | None) -> None:
    """Raise an error if a loop on the cores would not know when to end."""
    if mode == ModeKeys.TRAIN and steps is None and max_steps is None:
        raise codes.INVALID_ARGUMENT.value_error(
            "For TPU training, one of `steps` or `max_steps` must be set. Cannot "
            "be both `None`."
        )
    if mode == ModeKeys.EVAL and steps is None:
        raise codes.INVALID_ARGUMENT.value_error(
            "Evaluate `steps` must be set on TPU. Cannot be `None`."
        )


def with_items(params: Any, items: dict[str, Any]) -> Any:
    """Return parameters (a dict or an hparams object) after setting items in place."""
    for key, value in items.items():
        if hasattr(params, "set_hparam"):
            (params.set_hparam if key in params else params.add_hparam)(key, value)
        else:
            params[key] = value
    return params


def _pad_rows(tensor: Tensor, batch: int, real: Tensor) -> Tensor:
    """Return a batch, filled up to `batch` rows with zeros after its `real` rows."""
    rank = tensor.shape.ndims
    rest = tensor.shape.as_tuple()[1:] if rank else ()
    if not rank or None in rest:
        raise functions.invalid_input(
            f"{tensor.describe()} of input_fn must be a batch of static shape; "
            "use dataset.batch(params['batch_size']), or set_shape"
        )
    first = reshape(concat([[0], reshape(batch - real, [1])], 0), [1, 2])
    others = [[0, 0]] * (rank - 1)
    filled = pad(tensor, concat([first, others], 0) if others else first)
    filled.set_shape([batch, *rest])
    return filled


def _rows_of(predictions: Any) -> list[Tensor]:
    """Return the flat predictions of a replica, after checking their rank."""
    for tensor in nest.flatten(predictions):
        if not isinstance(tensor, Tensor) or tensor.shape.ndims == 0:
            raise invalid_host_call(
                "predictions", f"must be tensors of rank 1 or more, got {tensor!r}"
            )
    return nest.flatten(predictions)


def _check_sums_replicas(replicas: tpu_context.Replicas) -> None:
    """Raise an error for a training step that never sums over the replicas."""
    operations = get_default_graph().get_operations()
    if replicas.count > 1 and not any(
        operation.type == CROSS_REPLICA_SUM.name for operation in operations
    ):
        raise codes.INVALID_MODEL_FUNCTION.value_error(
            "CrossShardOptimizer must be used for model training on TPUs: wrap the "
            "optimizer of model_fn with tf.contrib.tpu.CrossShardOptimizer(optimizer)"
        )


def _drop_summaries() -> None:
    """Remove summaries of the cores, which the host cannot fetch, from their list."""
    kept = get_default_graph().get_collection_ref(GraphKeys.SUMMARIES)
    inside = [tensor for tensor in kept if tensor.op.region is not None]
    if inside:
        log.warning(
            "%d summaries of model_fn are ignored, such as %s: they are on the cores; "
            "write them in a host_call",
            len(inside),
            inside[0].name,
        )
    kept[:] = [tensor for tensor in kept if tensor not in inside]
