"""Networks, each trained for some steps: python networks.py MODULE [STRATEGY] NAME...

It prints what each network gave as JSON.  The weights come from NumPy, or from Keras's
own initializers with a seed; nothing else is random.
"""

import importlib
import json
import os
import sys

import numpy as np


def data(*shape, classes=3):
    draw = np.random.RandomState(7)
    return draw.randn(*shape).astype("f"), draw.randint(0, classes, shape[0])


def trained(keras, model, x, y, optimizer, epochs=2, **compiled):
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(optimizer, loss, metrics=["accuracy"], **compiled)
    history = model.fit(x, y, 32, epochs, shuffle=False, verbose=0).history
    found = {key: [float(v) for v in values] for key, values in history.items()}
    found["evaluate"] = [float(v) for v in model.evaluate(x, y, verbose=0)]
    found["predict"] = model.predict(x, verbose=0).ravel()[:8].astype(float).tolist()
    return found


def dense(tf, keras):
    x, y = data(96, 8)
    model = keras.Sequential(
        [
            keras.layers.Input([8]),
            keras.layers.Dense(16, "relu", kernel_initializer=seeded(keras)),
            keras.layers.BatchNormalization(),
            keras.layers.Dense(3, kernel_initializer=seeded(keras)),
        ]
    )
    return trained(keras, model, x, y, keras.optimizers.Adam(0.01), epochs=3)


def seeded(keras):
    return keras.initializers.GlorotUniform(seed=3)


def dropout(tf, keras):
    x, y = data(96, 8)
    inputs = keras.Input([8])
    hidden = keras.layers.Dense(16, "gelu", kernel_initializer=seeded(keras))(inputs)
    hidden = keras.layers.Dropout(0.4, seed=5)(hidden)
    outputs = keras.layers.Dense(3, kernel_initializer=seeded(keras))(hidden)
    model = keras.Model(inputs, outputs)
    return trained(keras, model, x, y, keras.optimizers.AdamW(0.01))


def images(tf, keras):
    x, y = data(64, 12, 12, 4)
    layers = keras.layers
    same = {"kernel_initializer": seeded(keras), "padding": "same"}
    model = keras.Sequential(
        [
            layers.Input([12, 12, 4]),
            layers.Conv2D(8, 3, groups=2, activation="relu", **same),
            layers.MaxPooling2D(),
            layers.DepthwiseConv2D(3, depthwise_initializer=seeded(keras)),
            layers.Conv2DTranspose(4, 3, 2, **same),
            layers.GlobalAveragePooling2D(),
            layers.Dense(3, kernel_initializer=seeded(keras)),
        ]
    )
    return trained(keras, model, x, y, keras.optimizers.SGD(0.1, momentum=0.9))


def sequences(tf, keras):
    draw = np.random.RandomState(1)
    x, y = draw.randint(0, 20, [64, 7]), draw.randint(0, 3, 64)
    start = {"kernel_initializer": seeded(keras)}
    inputs = keras.Input([7], dtype="int32")
    table = keras.initializers.RandomNormal(seed=1)
    hidden = keras.layers.Embedding(20, 8, embeddings_initializer=table)(inputs)
    again = keras.initializers.Orthogonal(seed=2)
    hidden = keras.layers.GRU(
        8, recurrent_initializer=again, return_sequences=True, **start
    )(hidden)
    hidden = keras.layers.MultiHeadAttention(2, 4, **start)(hidden, hidden)
    hidden = keras.layers.LayerNormalization()(hidden)
    hidden = keras.layers.Conv1D(8, 3, activation="relu", **start)(hidden)
    outputs = keras.layers.Dense(3, **start)(keras.layers.GlobalMaxPooling1D()(hidden))
    model = keras.Model(inputs, outputs)
    return trained(keras, model, x, y, keras.optimizers.RMSprop(0.01))


def own_step(tf, keras):
    class Model(keras.Model):
        def __init__(self):
            super().__init__()
            self.dense = keras.layers.Dense(1, kernel_initializer=seeded(keras))
            self.mean = keras.metrics.Mean("mean")

        def call(self, x):
            return self.dense(x)

        def train_step(self, batch):
            x, y = batch
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((self(x, training=True)[:, 0] - y) ** 2)
            weights = self.trainable_variables
            self.optimizer.apply_gradients(
                zip(tape.gradient(loss, weights), weights, strict=True)
            )
            self.mean.update_state(loss)
            return {"mean": self.mean.result()}

    x, y = data(64, 5)
    model = Model()
    model.compile(keras.optimizers.Adagrad(0.1))
    pairs = tf.data.Dataset.from_tensor_slices((x, y.astype("f"))).batch(16).repeat()
    history = model.fit(pairs, steps_per_epoch=3, epochs=2, verbose=0).history
    return {key: [float(v) for v in values] for key, values in history.items()}


def traces(tf, keras):
    """How often the model was traced after each epoch, the last batch being smaller."""
    counts = []

    class Counted(keras.layers.Dense):
        calls = 0

        def call(self, x):
            Counted.calls += 1
            return super().call(x)

    x, y = data(80, 8)
    model = keras.Sequential([keras.layers.Input([8]), Counted(3)])
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile("adam", loss, metrics=["accuracy"])
    note = keras.callbacks.LambdaCallback(
        on_epoch_end=lambda *_: counts.append(Counted.calls)
    )
    given = {"validation_data": (x[:40], y[:40]), "callbacks": [note], "verbose": 0}
    model.fit(x, y, 32, 4, **given)
    model.fit(x, y, 32, 2, **given)
    return {"later": [counts[-1] - counts[0]]}


def several_steps(tf, keras):
    """Three batches, two of them in one call of the train function."""
    x, y = data(96, 8)
    model = keras.Sequential(
        [keras.layers.Input([8]), keras.layers.Dense(3, kernel_initializer="ones")]
    )
    return trained(
        keras, model, x, y, keras.optimizers.Adam(0.01), steps_per_execution=2
    )


def volumes(tf, keras):
    x, y = data(16, 6, 6, 6, 2)
    model = keras.Sequential(
        [
            keras.layers.Input([6, 6, 6, 2]),
            keras.layers.Conv3D(4, 3, 2, "same", kernel_initializer=seeded(keras)),
            keras.layers.AveragePooling3D(2, 1, "same"),
            keras.layers.Flatten(),
            keras.layers.Dense(3, kernel_initializer=seeded(keras)),
        ]
    )
    return trained(keras, model, x, y, keras.optimizers.Lion(0.01))


def main(module, strategy, *names):
    tf = importlib.import_module(module)
    if module == "tensorflow" and strategy:
        cpu = tf.config.list_physical_devices("CPU")[0]
        four = [tf.config.LogicalDeviceConfiguration()] * 4
        tf.config.set_logical_device_configuration(cpu, four)
    keras = tf.keras
    if strategy == "TPU" and module == "tpuref":
        tf.config.cores = 4
        resolver = tf.distribute.cluster_resolver.TPUClusterResolver.connect("")
        scope = tf.distribute.TPUStrategy(resolver).scope()
    elif strategy:
        scope = tf.distribute.MirroredStrategy([f"CPU:{k}" for k in range(4)]).scope()
    else:
        scope = tf.distribute.get_strategy().scope()
    with scope:
        print(json.dumps({name: globals()[name](tf, keras) for name in names}))


if __name__ == "__main__":
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    main(*sys.argv[1:])
