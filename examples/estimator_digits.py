"""Learn handwritten digits from TFRecord files with a TPUEstimator on eight cores.

Written as for TensorFlow 1.15: an input function that reads records, a model function,
summaries in a host call, evaluation and prediction.  A second call goes on training.

    python examples/estimator_digits.py --folder digits
    tensorboard --logdir digits
"""

from __future__ import annotations

import argparse
import os
import sys
from typing import Any

import numpy as np

import tpuref as tf

try:
    from sklearn.datasets import load_digits
except ModuleNotFoundError:
    sys.exit("This example needs the extra examples: pip install scikit-learn")

TRAINING = 1440
FEATURES = {
    "image": tf.FixedLenFeature([64], tf.float32),
    "label": tf.FixedLenFeature([], tf.int64),
}


def write_records(folder: str) -> None:
    """Write the 1,797 digits of scikit-learn to two files."""
    digits = load_digits()
    order = np.random.default_rng(0).permutation(len(digits.target))
    parts = {"train": order[:TRAINING], "test": order[TRAINING:]}
    os.makedirs(folder, exist_ok=True)
    for name, rows in parts.items():
        with tf.python_io.TFRecordWriter(f"{folder}/{name}.tfrecord") as writer:
            for row in rows:
                image = tf.train.FloatList(value=digits.data[row] / 16)
                label = tf.train.Int64List(value=[digits.target[row]])
                feature = {
                    "image": tf.train.Feature(float_list=image),
                    "label": tf.train.Feature(int64_list=label),
                }
                features = tf.train.Features(feature=feature)
                writer.write(tf.train.Example(features=features).SerializeToString())


def input_fn(params: dict[str, Any], mode: str) -> tf.data.Dataset:
    """Read batches of ``params["batch_size"]`` rows, which the estimator chooses."""
    training = mode == tf.estimator.ModeKeys.TRAIN
    name = "train" if training else "test"

    def parsed(record: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        row = tf.parse_single_example(record, FEATURES)
        return tf.reshape(row["image"], [8, 8, 1]), tf.cast(row["label"], tf.int32)

    dataset = tf.data.TFRecordDataset(f"{params['folder']}/{name}.tfrecord").map(parsed)
    if training:
        dataset = dataset.cache().shuffle(TRAINING).repeat()
    predicting = mode == tf.estimator.ModeKeys.PREDICT
    dataset = dataset.batch(params["batch_size"], drop_remainder=not predicting)
    return dataset.prefetch(2)


def model_fn(
    features: tf.Tensor, labels: tf.Tensor, mode: str, params: dict[str, Any]
) -> Any:
    """Build the model for the rows of one core; it is called once."""
    net = tf.layers.conv2d(features, 16, 3, padding="same", activation=tf.nn.relu)
    net = tf.layers.flatten(tf.layers.max_pooling2d(net, 2, 2))
    logits = tf.layers.dense(tf.layers.dense(net, 64, tf.nn.relu), 10)
    answers = tf.argmax(logits, 1, output_type=tf.int32)
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.contrib.tpu.TPUEstimatorSpec(mode, predictions={"digit": answers})
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    if mode == tf.estimator.ModeKeys.EVAL:

        def metrics(labels: tf.Tensor, answers: tf.Tensor) -> dict[str, Any]:
            return {"accuracy": tf.metrics.accuracy(labels, answers)}

        given = (metrics, [labels, answers])
        return tf.contrib.tpu.TPUEstimatorSpec(mode, loss=loss, eval_metrics=given)

    step = tf.train.get_global_step()
    optimizer = tf.contrib.tpu.CrossShardOptimizer(tf.train.MomentumOptimizer(0.1, 0.9))

    def summaries(step: tf.Tensor, loss: tf.Tensor) -> Any:
        writer = tf.contrib.summary.create_file_writer(params["folder"])
        with writer.as_default(), tf.contrib.summary.always_record_summaries():
            mean = tf.reduce_mean(loss)
            tf.contrib.summary.scalar("loss_of_all_cores", mean, step=step[0])
        return tf.contrib.summary.all_summary_ops()

    return tf.contrib.tpu.TPUEstimatorSpec(
        mode,
        loss=loss,
        train_op=optimizer.minimize(loss, step),
        host_call=(summaries, [tf.reshape(step, [1]), tf.reshape(loss, [1])]),
    )


def main(arguments: list[str] | None = None) -> None:
    """Train, evaluate and predict."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--folder", required=True, help="records and checkpoints")
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--cores", type=int, default=8)
    options = parser.parse_args(arguments)
    write_records(options.folder)
    loop = tf.contrib.tpu.TPUConfig(iterations_per_loop=50, num_shards=options.cores)
    estimator = tf.contrib.tpu.TPUEstimator(
        model_fn,
        config=tf.contrib.tpu.RunConfig(model_dir=options.folder, tpu_config=loop),
        params={"folder": options.folder},
        train_batch_size=128,
        eval_batch_size=48,
        predict_batch_size=48,
    )
    estimator.train(input_fn, steps=options.steps)
    metrics = estimator.evaluate(input_fn, steps=7)
    print(f"step {metrics['global_step']}: test accuracy {metrics['accuracy']:.3f}")
    rows = estimator.predict(input_fn)
    print("first digits:", *[next(rows)["digit"] for _ in range(10)])


if __name__ == "__main__":
    main()
