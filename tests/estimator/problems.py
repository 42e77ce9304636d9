"""Three models for TPUEstimator, the same for tpuref and for TensorFlow 1.15.5.

Data and initial values follow from formulas, so that only the arithmetic differs.  The
syntax is that of Python 3.6: the release that is the judge runs this module too.
"""

import numpy as np

STEPS, BATCH = 200, 16
TRAINING, TEST = 64, 22


def waves(shape, phase):
    """Return numbers between -1 and 1, different for each phase."""
    count = int(np.prod(shape))
    return np.sin(np.arange(count) * 1.7 + phase).reshape(shape).astype(np.float32)


def data(name):
    """Return the inputs and labels of a problem."""
    count = TRAINING + TEST
    labels = (np.arange(count) * 7 % 3).astype(np.int32)
    if name == "bert":
        tokens = (np.arange(count * 8).reshape(count, 8) * 13 + 3) % 11
        tokens[:, 0] = labels + 11
        return tokens.astype(np.int32), labels
    inputs = waves([count, 6] if name == "perceptron" else [count, 6, 6, 2], 1.0)
    inputs.reshape(count, -1)[:, :3] += np.eye(3, dtype=np.float32)[labels]
    return inputs, labels


def model(tf, name, inputs, training):
    """Return the logits."""
    phase = iter(range(2, 100))

    def initial(shape, dtype=None, partition_info=None):
        scale = 1.0 / np.sqrt(np.prod(shape[:-1]))
        return tf.constant(waves(shape, next(phase)) * np.float32(scale))

    def dense(x, units, activation=None):
        return tf.layers.dense(x, units, activation, kernel_initializer=initial)

    if name == "perceptron":
        return dense(dense(inputs, 12, tf.nn.tanh), 3)
    if name == "convolution":
        net = tf.layers.conv2d(
            inputs, 4, 3, padding="same", use_bias=False, kernel_initializer=initial
        )
        net = tf.nn.relu(tf.layers.batch_normalization(net, training=training))
        net = tf.layers.flatten(tf.layers.max_pooling2d(net, 2, 2))
        return dense(net, 3)
    return dense(encoder(tf, inputs, dense, initial)[:, 0], 3)


def encoder(tf, tokens, dense, initial, width=16, heads=2, layers=2):
    """Return the vectors of tokens, as BERT computes them, ``[rows, 8, width]``."""
    rows, length = tokens.shape.as_list()[0] or -1, 8
    words = tf.get_variable("words", [14, width], initializer=initial)
    places = tf.get_variable("places", [length, width], initializer=initial)
    net = normalized(tf, tf.gather(words, tokens) + places, "embedding")

    def by_head(x):
        x = tf.reshape(x, [rows, length, heads, width // heads])
        return tf.transpose(x, [0, 2, 1, 3])

    for k in range(layers):
        queries, keys, values = [by_head(dense(net, width)) for _ in range(3)]
        scores = tf.matmul(queries, keys, transpose_b=True)
        shares = tf.nn.softmax(scores / np.sqrt(width // heads).astype(np.float32))
        mixed = tf.transpose(tf.matmul(shares, values), [0, 2, 1, 3])
        mixed = dense(tf.reshape(mixed, [rows, length, width]), width)
        net = normalized(tf, net + mixed, f"attention_{k}")
        wide = dense(net, 2 * width)
        wide = 0.5 * wide * (1.0 + tf.erf(wide / np.float32(np.sqrt(2.0))))
        net = normalized(tf, net + dense(wide, width), f"output_{k}")
    return net


def normalized(tf, x, name):
    """Return layer normalization, with variables of its own."""
    with tf.variable_scope(name):
        gamma = tf.get_variable("gamma", [16], initializer=tf.ones_initializer())
        beta = tf.get_variable("beta", [16], initializer=tf.zeros_initializer())
    mean, variance = tf.nn.moments(x, [-1], keep_dims=True)
    return (x - mean) * tf.rsqrt(variance + 1e-6) * gamma + beta


def model_fn_of(tf, name):
    """Return the model function of a problem."""
    estimator = tf.contrib.tpu

    def metrics(labels, logits):
        answers = tf.argmax(logits, 1, output_type=tf.int32)
        return {
            "accuracy": tf.metrics.accuracy(labels, answers),
            "spread": tf.metrics.mean(tf.abs(logits)),
        }

    def model_fn(features, labels, mode, params):
        training = mode == tf.estimator.ModeKeys.TRAIN
        logits = model(tf, name, features["x"], training)
        if mode == tf.estimator.ModeKeys.PREDICT:
            predictions = {"logits": logits, "answer": tf.argmax(logits, 1)}
            return estimator.TPUEstimatorSpec(mode, predictions=predictions)
        loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
        if not training:
            return estimator.TPUEstimatorSpec(
                mode, loss=loss, eval_metrics=(metrics, [labels, logits])
            )
        step = tf.train.get_global_step()
        rate = tf.train.polynomial_decay(0.05, step, STEPS, 0.01)
        optimizer = tf.train.MomentumOptimizer(rate, 0.5)
        if params["use_tpu"]:
            optimizer = estimator.CrossShardOptimizer(optimizer)
        with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
            train = optimizer.minimize(loss, step)
        return estimator.TPUEstimatorSpec(mode, loss=loss, train_op=train)

    return model_fn


def input_fns_of(tf, name):
    """Return the input functions for training, evaluation and prediction."""
    inputs, labels = data(name)

    def of(rows, forever, drop):
        def input_fn(params):
            pairs = ({"x": inputs[rows]}, labels[rows])
            dataset = tf.data.Dataset.from_tensor_slices(pairs)
            dataset = dataset.repeat() if forever else dataset
            return dataset.batch(params["batch_size"], drop_remainder=drop)

        return input_fn

    test = slice(TRAINING, None)
    training = of(slice(TRAINING), True, True)
    return training, of(test, False, True), of(test, False, False)


def estimator_of(tf, name, folder, use_tpu, shards=None):
    """Return the estimator of a problem."""
    tpu = tf.contrib.tpu
    return tpu.TPUEstimator(
        model_fn_of(tf, name),
        use_tpu=use_tpu,
        config=tpu.RunConfig(
            model_dir=folder,
            save_checkpoints_steps=100,
            tpu_config=tpu.TPUConfig(iterations_per_loop=50, num_shards=shards),
        ),
        train_batch_size=BATCH,
        eval_batch_size=8,
        predict_batch_size=8,
    )


def results(tf, name, folder, use_tpu, shards=None):
    """Train, evaluate and predict; return the metrics, the rows and the variables."""
    estimator = estimator_of(tf, name, folder, use_tpu, shards)
    training, test, rows = input_fns_of(tf, name)
    estimator.train(training, max_steps=STEPS)
    metrics = estimator.evaluate(test, steps=2)
    predicted = list(estimator.predict(rows))
    return (
        {key: float(value) for key, value in metrics.items()},
        {key: np.stack([row[key] for row in predicted]) for key in predicted[0]},
        {
            key: estimator.get_variable_value(key)
            for key in sorted(estimator.get_variable_names())
        },
    )


def condensed(array):
    """Return three numbers that tell an array from others."""
    numbers = np.ravel(array).astype(np.float64)
    places = np.cos(np.arange(numbers.size))
    return [float(numbers.sum()), float(np.abs(numbers).sum()), float(numbers @ places)]
