"""Do what notebooks do, and print what is to be compared.

    notebook.py tpuref TPU | notebook.py tensorflow ""

On TensorFlow there is no strategy, and no picture of a TFRecord is augmented at random.
"""

import json
import os
import sys
import tempfile

os.environ["KERAS_BACKEND"] = "tensorflow"

import numpy as np

if sys.argv[1] == "tpuref":
    import tpuref as tf

    tf.config.cores = 2
else:
    import tensorflow as tf
keras, SIZE = tf.keras, 32
folder, found = tempfile.mkdtemp(), {}


def strategy_of_resolver():
    if not sys.argv[2]:
        return tf.distribute.get_strategy()
    resolver = tf.distribute.cluster_resolver.TPUClusterResolver("")
    tf.config.experimental_connect_to_cluster(resolver)
    tf.tpu.experimental.initialize_tpu_system(resolver)
    return tf.distribute.TPUStrategy(resolver)


def write_records(path):
    def feature(**kinds):
        return tf.train.Feature(**kinds)

    with tf.io.TFRecordWriter(path) as writer:
        for k in range(12):
            image = tf.io.encode_jpeg(np.full((40, 40, 3), 20 * k, np.uint8)).numpy()
            features = {
                "image": feature(bytes_list=tf.train.BytesList(value=[image])),
                "label": feature(int64_list=tf.train.Int64List(value=[k % 2])),
            }
            example = tf.train.Example(features=tf.train.Features(feature=features))
            writer.write(example.SerializeToString())


def parsed(record):
    kinds = {
        "image": tf.io.FixedLenFeature([], tf.string),
        "label": tf.io.FixedLenFeature([], tf.int64),
    }
    example = tf.io.parse_single_example(record, kinds)
    image = tf.image.decode_jpeg(example["image"], channels=3)
    image = tf.cast(tf.image.resize(image, [SIZE, SIZE]), tf.float32) / 255.0
    return tf.reshape(image, [SIZE, SIZE, 3]), example["label"]


def augmented(image, label):
    image = tf.image.random_flip_left_right(image)
    return tf.image.random_brightness(image, 0.1), label


strategy = strategy_of_resolver()
path = os.path.join(folder, "images.tfrecord")
write_records(path)
options = tf.data.Options()
options.experimental_deterministic = False
dataset = tf.data.TFRecordDataset([path]).with_options(options)
dataset = dataset.map(parsed, num_parallel_calls=tf.data.AUTOTUNE).cache()
if sys.argv[2]:
    dataset = dataset.map(augmented)
dataset = dataset.repeat().shuffle(12, seed=1).batch(4, drop_remainder=True)
traced = []


class Counted(keras.Model):
    def train_step(self, data):
        traced.append(data[0].shape[0])
        return super().train_step(data)


with strategy.scope():
    network = keras.applications.MobileNetV2(
        (SIZE, SIZE, 3), alpha=0.35, weights=None, classes=2
    )
    network.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
history = network.fit(dataset.prefetch(2), epochs=2, steps_per_epoch=3, verbose=0)
found["finite"] = bool(np.isfinite(history.history["loss"]).all())

with strategy.scope():
    inputs = keras.Input([3])
    outputs = keras.layers.Dense(1)(keras.layers.BatchNormalization()(inputs))
    model = Counted(inputs, outputs)
    model.compile(keras.optimizers.SGD(0.1, momentum=0.9), "mse")
x, y = np.ones((10, 3), np.float32), np.ones((10, 1), np.float32)
model.fit(x, y, batch_size=4, epochs=2, verbose=0)
found["batches"] = sorted({size or 0 for size in traced})
checkpoint = tf.train.Checkpoint(model=model)
prefix = checkpoint.save(os.path.join(folder, "ckpt"))
names = [name for name, _ in tf.train.list_variables(prefix)]
found["names"] = sorted(name for name in names if not name.startswith("_"))
weights = model.get_weights()
model.set_weights([np.zeros_like(weight) for weight in weights])
checkpoint.restore(tf.train.latest_checkpoint(folder)).assert_consumed()
found["restored"] = all(map(np.array_equal, weights, model.get_weights()))

distributed = strategy.experimental_distribute_dataset(
    tf.data.Dataset.from_tensor_slices(x).batch(4)
)
total = tf.Variable(0.0)


@tf.function
def add_up():
    for batch in distributed:
        sums = strategy.run(tf.reduce_sum, (batch,))
        total.assign_add(strategy.reduce("SUM", sums, axis=None))


add_up()
found["sum"] = float(total.numpy())
logs = os.path.join(folder, "logs")
callback = keras.callbacks.TensorBoard(logs, histogram_freq=1)
model.fit(x, y, batch_size=4, verbose=0, callbacks=[callback])
found["logs"] = sorted(os.listdir(logs))
print(json.dumps(found))
