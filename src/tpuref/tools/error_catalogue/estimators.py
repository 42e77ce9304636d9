"""Estimators and their functions."""

from __future__ import annotations

from tpuref.base import error_codes as codes
from tpuref.tools.error_catalogue.entry import Entry

ENTRIES = (
    Entry(
        codes.INVALID_MODEL_FUNCTION,
        "An estimator cannot use the model function",
        meaning="The model function lacks a parameter or has unknown ones, returns no "
        "specification, or trains replicas that learn nothing of one another.",
        remedy="Write def model_fn(features, labels, mode, params), return an "
        "EstimatorSpec or a TPUEstimatorSpec, and on cores wrap the optimizer with "
        "tf.contrib.tpu.CrossShardOptimizer.",
        text="""
            import tpuref as tf

            tf.estimator.Estimator(lambda rows, labels: None, "model")
        """,
    ),
    Entry(
        codes.INVALID_SPEC,
        "The specification that a model function returns is incomplete",
        meaning="What the mode needs is missing, has the wrong type, or the loss is no "
        "single number.",
        remedy="Training needs loss and train_op, evaluation needs loss, prediction "
        "needs predictions.",
        text="""
            import tpuref as tf

            tf.estimator.EstimatorSpec(tf.estimator.ModeKeys.TRAIN, loss=0.5)
        """,
    ),
    Entry(
        codes.INVALID_RUN_CONFIG,
        "The configuration of an estimator is wrong",
        meaning="A number is out of range, two settings contradict each other, or a "
        "setting is not supported.",
        remedy="Follow the message; RunConfig.replace changes single settings.",
        text="""
            import tpuref as tf

            tf.contrib.tpu.TPUConfig(iterations_per_loop=0)
        """,
    ),
    Entry(
        codes.INVALID_INPUT_FUNCTION,
        "An estimator cannot use what the input function gives",
        meaning="The input function lacks the parameter params, returns other than "
        "features and labels, or batches that the replicas cannot share.",
        remedy="Return a tf.data.Dataset with batches of params['batch_size'] rows, "
        "and drop_remainder=True.",
        text="""
            import tpuref as tf

            def model_fn(features, labels, mode, params):
                return None

            estimator = tf.contrib.tpu.TPUEstimator(
                model_fn, "model", tf.contrib.tpu.RunConfig(), train_batch_size=8
            )
            estimator.train(lambda: tf.zeros([8, 2]), steps=1)
        """,
    ),
    Entry(
        codes.INVALID_HOST_CALL,
        "A host call, eval_metrics or predictions cannot be used",
        meaning="A host call is a pair of a function and a list or dict of tensors "
        "with known shapes; predictions have a row for each input.",
        remedy="Give (function, tensors), and reshape scalars with "
        "tf.reshape(tensor, [1]).",
        text="""
            import tpuref as tf

            tf.contrib.tpu.TPUEstimatorSpec("eval", loss=0.5, eval_metrics=[1.0])
        """,
    ),
    Entry(
        codes.INVALID_STEPS,
        "The number of steps is wrong",
        meaning="Steps are positive; steps and max_steps exclude each other; loops on "
        "the cores need one of them.",
        remedy="Give steps=, or max_steps= to go on from a checkpoint.",
        text="""
            import tpuref as tf

            def model_fn(features):
                return None

            estimator = tf.estimator.Estimator(model_fn, "model")
            estimator.train(lambda: tf.zeros([8, 2]), steps=0)
        """,
    ),
    Entry(
        codes.BATCH_SIZE,
        "A batch size is missing, or not divisible by the replicas",
        meaning="A TPUEstimator splits its batches among the replicas.",
        remedy="Give train_batch_size, eval_batch_size and predict_batch_size that are "
        "multiples of the number of replicas.",
        text="""
            import tpuref as tf

            def model_fn(features, params):
                return None

            tf.contrib.tpu.TPUEstimator(
                model_fn, "model", tf.contrib.tpu.RunConfig()
            )
        """,
    ),
    Entry(
        codes.NO_SAVED_MODEL,
        "There is no SavedModel",
        meaning="tpuref writes checkpoints, and no SavedModel for serving.",
        remedy="Keep the checkpoint of estimator.latest_checkpoint() and the model "
        "function, and predict with estimator.predict.",
        text="""
            import tpuref as tf

            tf.estimator.FinalExporter("final", lambda: None)
        """,
    ),
)
