"""Optimizers, hooks and estimators."""

from __future__ import annotations

from tpuref.base import error_codes as codes
from tpuref.tools.error_catalogue.entry import Entry

ENTRIES = (
    Entry(
        codes.OPTIMIZER_LACKS_UPDATE,
        "A subclass of tf.train.Optimizer does not say how a variable changes",
        meaning="The gradient of a variable is dense, or sparse, and the subclass has "
        "no method for it.",
        remedy="Write _resource_apply_dense or _resource_apply_sparse, or give the "
        "optimizer a dense gradient: tf.convert_to_tensor(gradient).",
    ),
    Entry(
        codes.NAN_LOSS,
        "The loss is NaN",
        meaning="tf.train.NanTensorHook, which an Estimator adds when it trains, saw "
        "a loss that is not a number.",
        remedy="Lower the learning rate, clip gradients with tf.clip_by_global_norm, "
        "or look for a division by zero or the logarithm of zero; tf.check_numerics "
        "says where it begins. With fail_on_nan_loss=False the hook ends training "
        "without an error.",
    ),
    Entry(
        codes.INVALID_MODEL_FUNCTION,
        "An estimator cannot use a function, or its result",
        meaning="The model or input function lacks a parameter, returns no complete "
        "specification or dataset for the mode, or trains replicas that do not share "
        "gradients. A host call is a function and tensors of known shape; predictions "
        "have a row for each input.",
        remedy="Write def model_fn(features, labels, mode, params) and return a "
        "TPUEstimatorSpec: with loss and train_op to train, loss to evaluate, "
        "predictions to predict. On cores wrap the optimizer in CrossShardOptimizer, "
        "and batch with params['batch_size'] and drop_remainder=True.",
        replaces="E246 E248 E249",
    ),
)
